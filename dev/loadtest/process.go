// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	psnet "github.com/shirou/gopsutil/net"
	"github.com/shirou/gopsutil/process"
)

// Usage is what a node on this machine used during the submission and the settling after it.
type Usage struct {
	Endpoint string  `json:"endpoint"`
	PID      int32   `json:"pid"`
	CPU      float64 `json:"cpuSeconds"`  // user and system
	Memory   uint64  `json:"memoryBytes"` // resident, highest sample
	Duration float64 `json:"seconds"`     // over which
}

// processes watches the processes behind endpoints of this machine.
type processes struct {
	begun time.Time
	list  []*watched
	end   chan struct{}
	done  sync.WaitGroup
}

type watched struct {
	usage   Usage
	process *process.Process
	before  float64 // CPU seconds
}

// watchProcesses finds the processes that listen at the endpoints and watches them until stop. Nodes elsewhere, and
// those that the system does not tell about, are left out.
func watchProcesses(endpoints []string) *processes {
	p := &processes{begun: time.Now(), end: make(chan struct{})}
	listening := make(map[uint32]int32) // process by port
	if all, err := psnet.Connections("tcp"); err == nil {
		for _, c := range all {
			if c.Status == "LISTEN" && c.Pid != 0 {
				listening[c.Laddr.Port] = c.Pid
			}
		}
	}
	for _, endpoint := range endpoints {
		pid, ok := listening[localPort(endpoint)]
		if !ok || slices.ContainsFunc(p.list, func(w *watched) bool { return w.usage.PID == pid }) {
			continue
		}
		proc, err := process.NewProcess(pid)
		if err != nil {
			continue
		}
		before, err := cpuSeconds(proc)
		if err != nil {
			continue
		}
		p.list = append(p.list, &watched{usage: Usage{Endpoint: endpoint, PID: pid}, process: proc, before: before})
	}
	p.done.Go(p.sample)
	return p
}

// local reports whether nodes run on this machine.
func (p *processes) local() bool { return len(p.list) > 0 }

// localPort is the port of an endpoint on this machine, else 0.
func localPort(endpoint string) uint32 {
	u, err := url.Parse(endpoint)
	if err != nil {
		return 0
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return 0
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return 0
	}
	return uint32(port)
}

func cpuSeconds(p *process.Process) (float64, error) {
	times, err := p.Times()
	if err != nil {
		return 0, err
	}
	return times.User + times.System, nil
}

func (p *processes) sample() {
	ticker := time.Tick(500 * time.Millisecond)
	for {
		for _, w := range p.list {
			if info, err := w.process.MemoryInfo(); err == nil {
				w.usage.Memory = max(w.usage.Memory, info.RSS)
			}
		}
		select {
		case <-ticker:
		case <-p.end:
			return
		}
	}
}

// stop ends the watch. A process that has ended meanwhile is left out.
func (p *processes) stop() []Usage {
	close(p.end)
	p.done.Wait()
	var list []Usage
	for _, w := range p.list {
		if after, err := cpuSeconds(w.process); err == nil {
			w.usage.CPU, w.usage.Duration = after-w.before, time.Since(p.begun).Seconds()
			list = append(list, w.usage)
		}
	}
	return list
}
