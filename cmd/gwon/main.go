package main

import (
	_ "github.com/ethereum/go-ethereum/cmd/utils"
	_ "github.com/ethereum/go-ethereum/console"
	_ "github.com/ethereum/go-ethereum/console/prompt"
	_ "github.com/ethereum/go-ethereum/eth"
	_ "github.com/ethereum/go-ethereum/eth/tracers/native"
	_ "github.com/ethereum/go-ethereum/eth/tracers/js"
	_ "github.com/ethereum/go-ethereum/ethclient"
	_ "github.com/ethereum/go-ethereum/graphql"
	_ "github.com/ethereum/go-ethereum/node"
	_ "github.com/supranational/blst/bindings/go"
	_ "github.com/urfave/cli/v2"
	_ "github.com/naoina/toml"
	_ "github.com/gorilla/websocket"
	_ "pgregory.net/rapid"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/term"
	_ "github.com/mattn/go-isatty"
	_ "github.com/fatih/color"
)

func main() {}
