// This module exists only to keep upstream/siblings out of the main module's
// package pattern: the files there compile inside build/go-ethereum.
module gwon/upstream

go 1.26
