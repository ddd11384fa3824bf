module gwon/build

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/bluekeyes/go-gitdiff v0.9.0
	golang.org/x/mod v0.42.0
)
