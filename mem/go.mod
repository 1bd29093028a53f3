module github.com/unheap/unheap/mem

go 1.24
