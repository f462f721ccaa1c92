package bubble
