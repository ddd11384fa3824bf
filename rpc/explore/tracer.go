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
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/eth/tracers/logger"
	_ "github.com/ethereum/go-ethereum/eth/tracers/native" // registers the tracers by name
)

const (
	callTracer = "callTracer"
	flatTracer = "flatCallTracer"
)

// openTracers are those that the network may name. Tracers in JavaScript are none of them.
var openTracers = []string{callTracer, flatTracer, "prestateTracer", "4byteTracer", "noopTracer"}

// frameSize is what a call frame or a log has in JSON, in bytes, without its data.
const frameSize = 350

// parseConfig checks the configuration of a trace. It returns how long the trace may take, 0 if that is left open.
func parseConfig(config *tracers.TraceConfig) (time.Duration, error) {
	if config.Tracer != nil && !slices.Contains(openTracers, *config.Tracer) {
		return 0, refuse(codeParams, "tracer", "tracer %.40q is not open here: give none for steps, or one of %s",
			*config.Tracer, strings.Join(openTracers, ", "))
	}
	if config.Config != nil && (config.Overrides != nil || config.Limit < 0) {
		return 0, refuse(codeParams, "params", "overrides of the chain and limits below 0 are not open here: leave them out")
	}
	if config.Timeout == nil {
		return 0, nil
	}
	limit, err := time.ParseDuration(*config.Timeout)
	if err != nil || limit <= 0 {
		return 0, refuse(codeParams, "params", "timeout %.20q is no duration: give one like 3s", *config.Timeout)
	}
	return limit, nil
}

// trace is a tracer whose result counts as bytes of the answer.
type trace struct {
	*tracers.Tracer
	work *work
	held int // bytes that were taken off the answer before the result is known
	most int // bytes of steps; 0 for traces that are not steps
}

// newTrace returns the tracer of a checked configuration.
func (n *node) newTrace(w *work, config *tracers.TraceConfig, place *tracers.Context) (*trace, error) {
	if config.Tracer == nil {
		return newSteps(w, config.Config), nil
	}
	tracer, err := tracers.DefaultDirectory.New(*config.Tracer, place, config.TracerConfig, n.backend.ChainConfig())
	if err != nil {
		return nil, refuse(codeParams, "tracer", "the configuration of %s cannot be used: %v", *config.Tracer, err)
	}
	t := &trace{Tracer: tracer, work: w}
	if *config.Tracer == callTracer || *config.Tracer == flatTracer {
		var options struct{ OnlyTopCall, WithLog bool }
		if len(config.TracerConfig) > 0 {
			if err := json.Unmarshal(config.TracerConfig, &options); err != nil {
				return nil, refuse(codeParams, "tracer", "the configuration of %s cannot be used: %v", *config.Tracer, err)
			}
		}
		t.meter(options.OnlyTopCall, options.WithLog)
	}
	return t, nil
}

// newSteps returns a tracer that records each step, up to the bytes that the answer may still have.
func newSteps(w *work, given *logger.Config) *trace {
	var config logger.Config
	if given != nil {
		config = *given
	}
	t := &trace{work: w}
	if config.Limit == 0 || config.Limit > w.left {
		config.Limit, t.most = w.left, w.left
	}
	steps := logger.NewStructLogger(&config)
	t.Tracer = &tracers.Tracer{Hooks: steps.Hooks(), GetResult: steps.GetResult, Stop: steps.Stop}
	return t
}

// meter counts what a tracer of calls holds while it runs, of the outermost call alone if it records no others. It ends
// the work when that is too much.
func (t *trace) meter(topOnly, withLogs bool) {
	hooks := *t.Hooks
	full := false
	hold := func(bytes int) {
		t.held += bytes
		if err := t.work.spend(bytes); err != nil {
			full = true
			t.Stop(err)
			t.work.cease(err)
		}
	}
	if enter := hooks.OnEnter; enter != nil {
		hooks.OnEnter = func(depth int, kind byte, from, to common.Address, input []byte, gas uint64, value *big.Int) {
			if depth == 0 || !topOnly {
				hold(frameSize + 2*len(input))
			}
			if !full {
				enter(depth, kind, from, to, input, gas, value)
			}
		}
	}
	if exit := hooks.OnExit; exit != nil {
		hooks.OnExit = func(depth int, output []byte, gasUsed uint64, err error, reverted bool) {
			if depth == 0 || !topOnly {
				hold(2 * len(output))
			}
			if !full {
				exit(depth, output, gasUsed, err, reverted)
			}
		}
	}
	if log := hooks.OnLog; log != nil && withLogs {
		hooks.OnLog = func(l *types.Log) {
			if hold(frameSize + 2*len(l.Data)); !full {
				log(l)
			}
		}
	}
	if end := hooks.OnTxEnd; end != nil {
		hooks.OnTxEnd = func(receipt *types.Receipt, err error) {
			if !full {
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
	t.work.left += t.held
	if t.held = 0; t.most > 0 && len(result) > t.most {
		t.work.left = 0 // the steps end in the middle
	}
	return result, t.work.spend(len(result))
}
