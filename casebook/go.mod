module github.com/unheap/unheap/casebook

go 1.21
