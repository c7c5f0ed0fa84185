module goroutine_workloads

go 1.19
