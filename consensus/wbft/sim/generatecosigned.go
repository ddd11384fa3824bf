// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"math/rand"
	"strings"
	"time"
)

// cosignedTime is the length of the faulty part of a script with cosigners.
const cosignedTime = 10 * time.Second

// GenerateCosigned draws a script from a seed: a network whose validators have cosigners, most of them with two nodes
// at once. Safety holds throughout. The chain grows once the faults end and each validator has one node, which has
// started again.
func GenerateCosigned(seed int64) []string {
	g := &generator{
		seed:  seed,
		r:     rand.New(rand.NewSource(seed)), //nolint:gosec // a seed has to repeat its network
		lines: []string{""},
		bad:   make(map[int]bool),
		span:  cosignedTime,
	}
	g.size = []int{1, 2, 3, 4, 4, 4, 5, 7}[g.r.Intn(8)]
	g.nodes = g.size
	g.settings = []string{"network", "", fmt.Sprintf("seed=%d", seed)}
	for _, s := range []string{
		g.pick("", "policy=1"),
		g.pick("", "", "drop=0.02", "drop=0.1"),
		g.pick("", "blockdrop=0.2", "blockdrop=0.9"),
		g.pick("", "", "duplicate=0.1"),
		"delay=1ms.." + g.pick("20ms", "20ms", "300ms", "1500ms"),
		g.pick("", "", "skew=100ms"),
		g.pick("", "", "execution=50ms"),
		g.pick("", "", "sync=20ms", "sync=200ms"),
		g.pick("", "", "blocksync=50ms"),
	} {
		if s != "" {
			g.settings = append(g.settings, s)
		}
	}
	c := cosignedGenerator{generator: g}
	c.validators()
	g.settings[1] = fmt.Sprintf("nodes=%d", g.total())
	g.lines[0] = strings.Join(g.settings, " ")
	if g.r.Intn(2) == 0 {
		g.add("lose COMMIT chance %.2f", 0.3+g.r.Float64()/2)
	}
	g.crashes()
	c.cosigners()
	g.partitions()
	g.flaps()
	c.recovery()
	return g.lines
}

type cosignedGenerator struct {
	*generator
	cosigned []int         // nodes with cosigners, the first one of each validator
	nodesOf  map[int][]int // the nodes of their validators
}

// validators draws who has cosigners and a second node, and who is faulty.
func (g *cosignedGenerator) validators() {
	g.nodesOf = make(map[int][]int)
	budget := (g.size - 1) / 3
	deaf := g.r.Intn(2) == 0
	for i := range g.size {
		if budget > 0 && g.r.Intn(6) == 0 {
			budget--
			g.add("byzantine %d %s", i, g.pick("usurper", "equivocator", "forger", "amnesiac", "replayer", "silent"))
			g.bad[i] = true
			continue
		}
		if g.r.Intn(5) == 0 {
			continue // an ordinary validator
		}
		g.cosigned = append(g.cosigned, i)
		g.nodesOf[i] = []int{i}
		if g.r.Intn(3) > 0 {
			second := g.total()
			g.twins++
			g.nodesOf[i] = append(g.nodesOf[i], second)
			g.add("twin %d of %d", second, i)
		}
		for _, node := range g.nodesOf[i] {
			g.add("cosigned %d", node)
			if deaf {
				g.add("deaf %d", node)
			}
		}
	}
}

// cosigners draws crashes and lost connections of cosigners. At most one of each validator lies.
func (g *cosignedGenerator) cosigners() {
	for _, i := range g.cosigned {
		if g.r.Intn(4) == 0 {
			g.add("at %v: cosigner lie %d.%d", g.moment(), i, g.r.Intn(cosignerCount))
		}
		for range g.r.Intn(5) {
			at, c := g.moment(), g.r.Intn(cosignerCount)
			down := time.Duration(g.r.Int63n(int64(6 * time.Second))).Round(time.Millisecond)
			switch g.r.Intn(4) {
			case 0:
				g.add("at %v: cosigner crash %d.%d", at, i, c)
			case 1:
				g.add("at %v: cosigner powerloss %d.%d", at, i, c)
			default:
				g.add("at %v: cosigner cut %d.%d from %d", at, i, c, g.nodesOf[i][g.r.Intn(len(g.nodesOf[i]))])
				continue
			}
			g.add("at %v: cosigner restart %d.%d", at+down, i, c)
		}
	}
}

// recovery ends the faults, leaves each validator one node, and adds the promise of progress. First all nodes run for
// some time, so that the remaining ones have each block that another node has sealed. A node that was overtaken begins
// again with what the cosigners have.
func (g *cosignedGenerator) recovery() {
	g.add("run %v", cosignedTime)
	g.add("run 8s") // restarts still scheduled
	var first, second []int
	for _, i := range g.cosigned {
		if len(g.nodesOf[i]) > 1 {
			first, second = append(first, i), append(second, g.nodesOf[i][1])
		}
	}
	g.add("heal")
	if len(first) > 0 {
		g.add("crash %s %s", join(first), join(second))
	}
	for i := range g.total() {
		g.add("restart %d", i)
	}
	if len(first) > 0 {
		g.add("run 3s")
		g.add("reach +0 within 1m")
		g.add("stop %s", join(second))
		g.add("run 3s")
		g.add("crash %s", join(first))
		g.add("restart %s", join(first))
	}
	g.add("reach +3 within 2m")
}
