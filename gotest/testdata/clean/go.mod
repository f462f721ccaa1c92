module clean

go 1.25
