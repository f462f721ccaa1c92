module papers

go 1.24
