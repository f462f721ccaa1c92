module cases

go 1.24
