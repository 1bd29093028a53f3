module oldgo

go 1.17
