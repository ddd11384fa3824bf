// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/eth/tracers/logger"
	_ "github.com/ethereum/go-ethereum/eth/tracers/native" // registers the tracers by name
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

const (
	callTracer = "callTracer"
	flatTracer = "flatCallTracer"
)

// openTracers are those that the network may name. Tracers in JavaScript are none of them.
var openTracers = []string{callTracer, flatTracer, "prestateTracer", "4byteTracer", "noopTracer"}

// frameSize is what a call frame or a log has in JSON, in bytes, without its data.
const frameSize = 350

// parseConfig checks the configuration of a trace, which may be nil. It returns how long the trace may take, 0 if that
// is left open.
func parseConfig(config *tracers.TraceConfig) (*tracers.TraceConfig, time.Duration, error) {
	if config == nil {
		return new(tracers.TraceConfig), 0, nil
	}
	if config.Tracer != nil && !slices.Contains(openTracers, *config.Tracer) {
		return nil, 0, refuse(gethrpc.CodeParams, "tracer", "tracer %.40q is not open here: "+
			"give none for steps, or one of %s",
			*config.Tracer, strings.Join(openTracers, ", "))
	}
	if config.Config != nil && (config.Overrides != nil || config.Limit < 0) {
		return nil, 0, refuse(gethrpc.CodeParams, "params",
			"overrides of the chain and limits below 0 are not open here: leave them out")
	}
	if config.Timeout == nil {
		return config, 0, nil
	}
	limit, err := time.ParseDuration(*config.Timeout)
	if err != nil || limit <= 0 {
		return nil, 0, refuse(gethrpc.CodeParams, "params", "timeout %.20q is no duration: give one like 3s", *config.Timeout)
	}
	return config, limit, nil
}

// trace is a tracer whose result counts as bytes of the answer.
type trace struct {
	*tracers.Tracer
	work *work
	held int // bytes that were taken off the answer before the result is known
	full bool
}

// newTrace returns the tracer of a checked configuration.
func (n *node) newTrace(w *work, config *tracers.TraceConfig, place *tracers.Context) (*trace, error) {
	if config.Tracer == nil {
		return newSteps(w, config.Config), nil
	}
	tracer, err := tracers.DefaultDirectory.New(*config.Tracer, place, config.TracerConfig, n.backend.ChainConfig())
	if err != nil {
		return nil, refuse(gethrpc.CodeParams, "tracer", "the configuration of %s cannot be used: %v", *config.Tracer, err)
	}
	t := &trace{Tracer: tracer, work: w}
	if *config.Tracer == callTracer || *config.Tracer == flatTracer {
		var options struct{ OnlyTopCall, WithLog bool }
		if len(config.TracerConfig) > 0 {
			if err := json.Unmarshal(config.TracerConfig, &options); err != nil {
				return nil, refuse(gethrpc.CodeParams, "tracer", "the configuration of %s cannot be used: %v", *config.Tracer, err)
			}
		}
		t.meter(options.OnlyTopCall, options.WithLog)
	}
	return t, nil
}

// newSteps returns a tracer that records each step. They count as they are recorded.
func newSteps(w *work, given *logger.Config) *trace {
	var config logger.Config
	if given != nil {
		config = *given
	}
	steps := logger.NewStructLogger(&config)
	hooks := *steps.Hooks()
	t := &trace{work: w, Tracer: &tracers.Tracer{Hooks: &hooks, GetResult: steps.GetResult, Stop: steps.Stop}}
	record := hooks.OnOpcode
	hooks.OnOpcode = func(
		pc uint64, op byte, gas, cost uint64, scope tracing.OpContext, data []byte, depth int, err error,
	) {
		if !t.full {
			record(pc, op, gas, cost, scope, data, depth, err)
			t.hold(steps.Size() - t.held)
		}
	}
	return t
}

// hold counts what a tracer has recorded. It ends the work when that is too much.
func (t *trace) hold(bytes int) {
	t.held += bytes
	if err := t.work.spend(bytes); err != nil {
		t.full = true
		t.Stop(err)
		t.work.cease(err)
	}
}

// meter counts what a tracer of calls holds while it runs, of the outermost call alone if it records no others.
func (t *trace) meter(topOnly, withLogs bool) {
	hooks := *t.Hooks
	if enter := hooks.OnEnter; enter != nil {
		hooks.OnEnter = func(depth int, kind byte, from, to common.Address, input []byte, gas uint64, value *big.Int) {
			if depth == 0 || !topOnly {
				t.hold(frameSize + 2*len(input))
			}
			if !t.full {
				enter(depth, kind, from, to, input, gas, value)
			}
		}
	}
	if exit := hooks.OnExit; exit != nil {
		hooks.OnExit = func(depth int, output []byte, gasUsed uint64, err error, reverted bool) {
			if depth == 0 || !topOnly {
				t.hold(2 * len(output))
			}
			if !t.full {
				exit(depth, output, gasUsed, err, reverted)
			}
		}
	}
	if log := hooks.OnLog; log != nil && withLogs {
		hooks.OnLog = func(l *types.Log) {
			if t.hold(frameSize + 2*len(l.Data)); !t.full {
				log(l)
			}
		}
	}
	if end := hooks.OnTxEnd; end != nil {
		hooks.OnTxEnd = func(receipt *types.Receipt, err error) {
			if !t.full {
				end(receipt, err)
			}
		}
	}
	t.Hooks = &hooks
}

// result returns the trace.
func (t *trace) result() (json.RawMessage, error) {
	result, err := t.GetResult()
	if err != nil {
		return nil, err
	}
	return result, t.work.spend(len(result) - t.held)
}
