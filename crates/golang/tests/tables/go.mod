module kubeglass/golang/tables

go 1.26
