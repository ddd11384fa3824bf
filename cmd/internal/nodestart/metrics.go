// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/metrics/exp"
	"github.com/ethereum/go-ethereum/metrics/prometheus"

	"gwon/internal/door"
	"gwon/internal/release"
)

// networkNames are the names that consensus metrics have in go-stablenet, and so in dashboards of the network, by
// gwon's.
var networkNames = map[string]string{
	"wbft/round":    "consensus/wbft/core/round",
	"wbft/sequence": "consensus/wbft/core/sequence",
	"wbft/decide":   "consensus/wbft/core/consensus",
	"wbft/timeouts": "consensus/wbft/core/timeout_round",
	"wbft/build":    "consensus/wbft/core/commitwork",
}

// buildInfo says what program runs.
var buildInfo = metrics.NewRegisteredGaugeInfo("gwon/build/info", nil)

// addNetworkNames shows the same metrics under the network's names too.
func addNetworkNames(registry metrics.Registry) {
	for own, theirs := range networkNames {
		m := registry.Get(own)
		if m == nil || registry.Get(theirs) != nil {
			continue
		}
		if err := registry.Register(theirs, m); err != nil {
			log.Warn("Metric not shown under the network's name", "name", theirs, "err", err)
		}
	}
}

// metricsEndpoint serves the metrics on an address of their own. It implements node.Lifecycle.
type metricsEndpoint struct {
	address  string
	handlers map[string]http.Handler // of what else is served there, by pattern
	server   *http.Server
}

// setupMetrics collects metrics and sends them where the configuration says, and returns the endpoint to serve them on;
// nil for none. The endpoint is ours, since Prometheus asks for /metrics unless told otherwise.
func setupMetrics(cfg *metrics.Config) *metricsEndpoint {
	if cfg.Enabled {
		addNetworkNames(metrics.DefaultRegistry)
		buildInfo.Update(metrics.GaugeInfoValue{
			"version": release.Number, "commit": release.Commit, "geth": bridge.UpstreamVersion(), "go": runtime.Version(),
			"arch": runtime.GOARCH,
		})
	}
	own := *cfg
	own.HTTP, own.Port = "", 0
	utils.SetupMetrics(&own)
	if !cfg.Enabled || cfg.HTTP == "" {
		return nil
	}
	return &metricsEndpoint{address: net.JoinHostPort(cfg.HTTP, strconv.Itoa(cfg.Port))}
}

// Start opens the endpoint.
func (e *metricsEndpoint) Start() error {
	listener, err := net.Listen("tcp", e.address)
	if err != nil {
		return fmt.Errorf("open the metrics endpoint (--%s, --%s): %w", utils.MetricsHTTPFlag.Name,
			utils.MetricsPortFlag.Name, err)
	}
	mux, text := http.NewServeMux(), prometheus.Handler(metrics.DefaultRegistry)
	mux.Handle("/metrics", text)
	mux.Handle("/debug/metrics/prometheus", text)
	mux.Handle("/debug/metrics", exp.ExpHandler(metrics.DefaultRegistry))
	for pattern, handler := range e.handlers {
		mux.Handle(pattern, handler)
	}
	e.server = door.NewServer(mux)
	go func() {
		if err := e.server.Serve(door.ForOperator(listener)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("Metrics endpoint failed", "err", err)
		}
	}()
	log.Info("Metrics", "url", "http://"+listener.Addr().String()+"/metrics")
	return nil
}

// Stop closes the endpoint.
func (e *metricsEndpoint) Stop() error { return e.server.Close() }
