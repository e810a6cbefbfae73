module atrium

go 1.18
