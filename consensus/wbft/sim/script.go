// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/core/rules"
)

// A script is a network and what happens to it, one command a line; empty lines and those that begin with # mean
// nothing. Nodes are numbers, durations are Go's, heights are numbers, or +number for a distance from the
// highest there is.
//
// What the network is (before anything else):
//
//	network nodes=4 [seed= policy= epoch= period= timeout= maxtimeout= drop= duplicate= blockdrop= delay=1ms..20ms
//	                        skew= execution= sync= blocksync= unexamined= full=], on one line
//	set 20: 0 1 2           epoch blocks from block 20 on name these validators
//	transition 30: [epoch=7] [period=2] [timeout=3]
//	twin 4 of 0             node 4 has the key of node 0
//	byzantine 0 forger      silent, badseals, equivocator, forger, invalid, bodyswapper, runner, replayer, selective,
//	                        amnesiac, usurper, claimant, doublesealer, stretcher, dearwrong,
//	                        dearright, dearintime, dearlie, window, oversizer, wrapper, and the modes
//	                        of package consensus/wbft/sim/modes
//	reference 1 v1.0.1      a release of go-stablenet, or later; v1.1.0 if none is named
//	strict 1                does nothing that go-stablenet does not (core.Config.Strict)
//	follower 5              never validates
//	signer 2                its key and its vote log are in a signer, which ends with the node
//	forgetful 2             its vote log is lost whenever it stops, and it signs all the same when it starts again
//
// What happens to it:
//
//	run 3s
//	now sync=2s             changes conditions of the network: drop duplicate blockdrop delay execution sync blocksync
//	                        unexamined
//	reach 5 within 10s      all honest nodes that run get to a height
//	grow within 10s         somebody gets further than everybody is now
//	until 2 height=1 within 10s        or round=2, or locked, or sequence=3
//	at 5s: COMMAND          one of those below, so long after now
//	crash 1 2; crash 1 after 7         the second in the middle of something, 7 writes, syncs or sends later
//	powerloss 0 1; stop 1; restart 0 1 stop ends a process in peace
//	adopt 1                 a crash of a program without a vote log, whose directory another one takes over
//	loselog 1 2             a crash after which the vote log is gone, if blocks show that there was one
//	signfrom 5: 0 1         what their operators tell them from the next start on; 0 for nothing
//	rejoin within 90s       all honest nodes that run and have lost their vote logs sign again
//	corrupt 1 forger        restarts it as a Byzantine one
//	partition 0 1 | 2 3; heal
//	cut 0 1                 they have no connection until heal
//	flap 0 1                their connection ends and begins again two seconds later
//	lose COMMIT [from 1,2] [to 0] [sequence 1] [round 0] [chance 0.5]
//	                        or hold, until release; lose nothing ends that; ANY is any message
//	disk 1 full, failing or good
//	setback 2 0 1           the chain of nodes that are down is put back to a height
//	status                  says where everybody is
//	expect 0 height=3 round=0 sequence=4 locked=1a block1=1a sealed1=0 waiting=true
//	                        the state of a node: block1 is its block 1, sealed1 the round that sealed it, waiting
//	                        reports whether it signs nothing because its votes are lost

// rule is what becomes of some messages.
type rule struct {
	code            uint64 // 0 for any
	from, to        []int
	sequence, round int64 // -1 for any
	chance          float64
	hold            bool
}

func (r rule) applies(n *Network, from, to int, code uint64, payload []byte) bool {
	if r.code != 0 && r.code != code || r.from != nil && !slices.Contains(r.from, from) ||
		r.to != nil && !slices.Contains(r.to, to) {
		return false
	}
	if r.sequence >= 0 || r.round >= 0 {
		m, err := messages.Decode(code, payload)
		if err != nil || r.sequence >= 0 && m.View().Sequence != uint64(r.sequence) ||
			r.round >= 0 && m.View().Round != uint64(r.round) {
			return false
		}
	}
	sum := sha256.Sum256(payload)
	return happens(n.roll("rule", uint64(from), uint64(to), binary.BigEndian.Uint64(sum[:])), r.chance)
}

// Player plays a script.
type Player struct {
	cfg    Config
	net    *Network
	setups []func()
	rules  []rule
	held   []func()
}

// NewPlayer returns a player of a script that has not begun. With quiet it keeps no trace.
func NewPlayer(quiet bool) *Player {
	return &Player{
		cfg: Config{
			Nodes:     4,
			Quiet:     quiet,
			Sets:      make(map[uint64][]int),
			Twins:     make(map[int]int),
			Followers: make(map[int]bool),
		},
	}
}

// Network is the network, which is made when it is asked for. It must be closed.
func (p *Player) Network() *Network {
	if p.net == nil {
		p.net = New(p.cfg)
		p.net.Intercept = p.intercept
		for _, setup := range p.setups {
			setup()
		}
	}
	return p.net
}

// flapTime is how long two nodes are without each other after a flap.
const flapTime = 2 * time.Second

// errScript is returned for a command that cannot be read.
var errScript = errors.New("not a command")

// Play carries out one command. The error wraps errScript, or tells of a broken promise.
func (p *Player) Play(line string) error {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	if ok, err := p.configure(words); ok {
		if err == nil && p.net != nil {
			err = errors.New("the network is made already")
		}
		if err != nil {
			return fmt.Errorf("%w: %q: %w", errScript, line, err)
		}
		return nil
	}
	if words[0] == "at" && len(words) > 2 {
		delay, err := time.ParseDuration(strings.TrimSuffix(words[1], ":"))
		if err != nil {
			return fmt.Errorf("%w: %q: %w", errScript, line, err)
		}
		act, err := p.action(words[2:])
		if err != nil {
			return fmt.Errorf("%w: %q: %w", errScript, line, err)
		}
		p.Network().After(delay, act)
		return nil
	}
	if wait, err := p.wait(words); wait != nil || err != nil {
		if err != nil {
			return fmt.Errorf("%w: %q: %w", errScript, line, err)
		}
		return wait()
	}
	n := p.Network()
	if words[0] == "expect" {
		if err := p.expect(words[1:]); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		return nil
	}
	act, err := p.action(words)
	if err != nil {
		return fmt.Errorf("%w: %q: %w", errScript, line, err)
	}
	n.After(0, act)
	return n.Run(0)
}

func (p *Player) configure(words []string) (ok bool, err error) {
	switch words[0] {
	case "network":
		for _, w := range words[1:] {
			if err := p.setting(w); err != nil {
				return true, err
			}
		}
	case "set":
		block, list, err := p.numbered(words)
		if err == nil {
			p.cfg.Sets[block], err = p.nodes(list)
		}
		return true, err
	case "transition":
		block, list, err := p.numbered(words)
		t := Transition{Block: block}
		for _, w := range list {
			key, value, _ := strings.Cut(w, "=")
			field := map[string]*uint64{"epoch": &t.Epoch, "period": &t.Period, "timeout": &t.Timeout}[key]
			if field == nil {
				return true, fmt.Errorf("setting %q", w)
			}
			if *field, err = strconv.ParseUint(value, 10, 64); err != nil {
				return true, err
			}
		}
		p.cfg.Transitions = append(p.cfg.Transitions, t)
		return true, err
	case "twin":
		if len(words) != 4 {
			return true, errors.New("twin 4 of 0")
		}
		pair, err := p.nodes([]string{words[1], words[3]})
		if err == nil {
			p.cfg.Twins[pair[0]] = pair[1]
		}
		return true, err
	case "byzantine", "reference", "forgetful", "signer", "strict":
		return true, p.character(words)
	case "follower":
		list, err := p.nodes(words[1:])
		for _, i := range list {
			p.cfg.Followers[i] = true
		}
		return true, err
	default:
		return false, nil
	}
	return true, nil
}

// character says what a node is.
func (p *Player) character(words []string) error {
	if len(words) < 2 {
		return errors.New("which node?")
	}
	list, err := p.nodes(words[1:2])
	if err != nil {
		return err
	}
	be := map[string]func(*Node){
		"signer": func(n *Node) { n.Signer = true }, "strict": func(n *Node) { n.Strict = true },
		"forgetful": func(n *Node) { n.Logged = false },
	}[words[0]]
	switch {
	case words[0] == "reference":
		release := releases[liveRelease]
		if len(words) == 3 {
			if release = releases[words[2]]; release == nil {
				return errors.New("no such release")
			}
		}
		be = func(n *Node) { n.Reference = release }
	case be == nil:
		if len(words) != 3 || behaviors[words[2]] == nil {
			return errors.New("no such behavior")
		}
		be = func(n *Node) { n.Behavior = behaviors[words[2]]() }
	}
	p.setups = append(p.setups, func() { be(p.net.Node(list[0])) })
	return nil
}

// numbered takes "word 20: ..." apart.
func (p *Player) numbered(words []string) (uint64, []string, error) {
	if len(words) < 3 || !strings.HasSuffix(words[1], ":") {
		return 0, nil, errors.New("want a block number and a colon")
	}
	block, err := strconv.ParseUint(strings.TrimSuffix(words[1], ":"), 10, 64)
	return block, words[2:], err
}

func (p *Player) nodes(words []string) ([]int, error) {
	var list []int
	for _, w := range words {
		i, err := strconv.Atoi(w)
		if err != nil || i < 0 || i >= p.cfg.Nodes {
			return nil, fmt.Errorf("node %q", w)
		}
		list = append(list, i)
	}
	return list, nil
}

func (p *Player) setting(word string) error {
	key, value, _ := strings.Cut(word, "=")
	c := &p.cfg
	field := map[string]any{
		"skew": &c.MaxSkew, "execution": &c.MaxExecution, "sync": &c.MaxSync, "blocksync": &c.MaxBlockSync,
		"policy": &c.Policy, "epoch": &c.Epoch, "period": &c.Period, "timeout": &c.RequestTimeout,
		"maxtimeout": &c.MaxTimeout, "drop": &c.Drop, "duplicate": &c.Duplicate, "blockdrop": &c.BlockDrop,
		"unexamined": &c.Unexamined, "full": &c.Full, "seed": &c.Seed, "nodes": &c.Nodes,
	}[key]
	var err error
	switch field := field.(type) {
	case *int:
		if *field, err = strconv.Atoi(value); err == nil && (c.Nodes < 1 || c.Nodes > 64) {
			err = errors.New("number of nodes")
		}
	case *int64:
		*field, err = strconv.ParseInt(value, 10, 64)
	case *uint64:
		*field, err = strconv.ParseUint(value, 10, 64)
	case *float64:
		*field, err = strconv.ParseFloat(value, 64)
	case *time.Duration:
		*field, err = time.ParseDuration(value)
	default:
		low, high, _ := strings.Cut(value, "..")
		if key != "delay" {
			return fmt.Errorf("setting %q", word)
		}
		if c.MinDelay, err = time.ParseDuration(low); err == nil {
			c.MaxDelay, err = time.ParseDuration(high)
		}
	}
	return err
}

// wait returns what lets time pass, if it is one of those commands.
func (p *Player) wait(words []string) (func() error, error) {
	span := time.Duration(0)
	if n := len(words); n >= 2 {
		var err error
		if span, err = time.ParseDuration(words[n-1]); err != nil &&
			slices.Contains([]string{"run", "reach", "grow", "rejoin", "until"}, words[0]) {
			return nil, err
		}
	}
	switch {
	case words[0] == "run" && len(words) == 2:
		return func() error { return p.Network().Run(span) }, nil
	case words[0] == "grow" && len(words) == 3 && words[1] == "within":
		return func() error {
			n := p.Network()
			height := n.MaxHeight()
			return n.RunUntil(span, "another block", func() bool { return n.MaxHeight() > height })
		}, nil
	case words[0] == "rejoin" && len(words) == 3 && words[1] == "within":
		return func() error {
			n := p.Network()
			return n.RunUntil(span, "signatures of all that lost their vote logs", n.observer.rejoined)
		}, nil
	case words[0] == "reach" && len(words) == 4 && words[2] == "within":
		more, relative := strings.CutPrefix(words[1], "+")
		height, err := strconv.ParseUint(more, 10, 64)
		if err != nil {
			return nil, err
		}
		return func() error {
			n := p.Network()
			if relative {
				height += n.MaxHeight()
			}
			return n.RunUntil(span, fmt.Sprintf("height %d", height), func() bool { return n.MinHeight() >= height })
		}, nil
	case words[0] == "until" && len(words) == 5 && words[3] == "within":
		list, err := p.nodes(words[1:2])
		if err != nil {
			return nil, err
		}
		key, value, _ := strings.Cut(words[2], "=")
		number, err := strconv.ParseUint(value, 10, 64)
		if err != nil && key != "locked" {
			return nil, err
		}
		return func() error {
			n := p.Network()
			return n.RunUntil(span, strings.Join(words[1:3], " "), func() bool {
				node := n.Node(list[0])
				switch s := node.Status(); key {
				case "height":
					return node.Height() >= number
				case "round":
					return s.Round >= number
				case "sequence":
					return s.Sequence >= number
				default:
					return s.Locked
				}
			})
		}, nil
	}
	return nil, nil
}

// nodeActions maps commands to what they do to each of their nodes.
var nodeActions = map[string]func(*Node){
	"crash": (*Node).Crash, "powerloss": (*Node).PowerLoss, "adopt": (*Node).Adopt, "loselog": (*Node).LoseLog,
	"stop": (*Node).Stop, "restart": (*Node).start,
}

// pairActions maps commands to what they do to two nodes.
var pairActions = map[string]func(n *Network, a, b *Node){
	"cut": (*Network).Cut, "flap": func(n *Network, a, b *Node) { n.Flap(a, b, flapTime) },
}

// otherActions maps commands with arguments of their own to their readers.
var otherActions = map[string]func(p *Player, args []string) (func(), error){
	"signfrom": (*Player).signFrom, "corrupt": (*Player).corrupt, "partition": (*Player).partition,
	"heal": func(p *Player, _ []string) (func(), error) {
		return func() {
			p.setRules(nil)
			p.Network().Heal()
		}, nil
	},
	"lose":    func(p *Player, args []string) (func(), error) { return p.addRule(false, args) },
	"hold":    func(p *Player, args []string) (func(), error) { return p.addRule(true, args) },
	"release": func(p *Player, _ []string) (func(), error) { return p.release, nil },
	"setback": (*Player).setBack, "disk": (*Player).spoilDisk, "now": (*Player).change,
	"status": func(p *Player, _ []string) (func(), error) { return p.noteStatus, nil },
}

// action returns what a command does at once.
func (p *Player) action(words []string) (func(), error) {
	name, args := words[0], words[1:]
	if do := pairActions[name]; do != nil {
		list, err := p.nodes(args)
		if err != nil || len(list) != 2 || list[0] == list[1] {
			return nil, errors.New(name + " 0 1")
		}
		return func() { do(p.Network(), p.Network().Node(list[0]), p.Network().Node(list[1])) }, nil
	}
	if read := otherActions[name]; read != nil {
		return read(p, args)
	}
	do := nodeActions[name]
	if do == nil {
		return nil, errors.New("unknown word")
	}
	if name == "crash" && len(args) == 3 && args[1] == "after" {
		acts, err := strconv.Atoi(args[2])
		if err != nil {
			return nil, err
		}
		return p.each(args[:1], func(n *Node) { n.CrashAfter(acts) })
	}
	return p.each(args, do)
}

func (p *Player) each(list []string, do func(*Node)) (func(), error) {
	nodes, err := p.nodes(list)
	if err == nil && len(nodes) == 0 {
		err = errors.New("which nodes?")
	}
	return func() {
		for _, i := range nodes {
			do(p.Network().Node(i))
		}
	}, err
}

func (p *Player) signFrom(args []string) (func(), error) {
	block, list, err := p.numbered(append([]string{"signfrom"}, args...))
	if err != nil {
		return nil, err
	}
	return p.each(list, func(n *Node) { n.SignFrom = block })
}

func (p *Player) corrupt(args []string) (func(), error) {
	if len(args) != 2 || behaviors[args[1]] == nil {
		return nil, errors.New("no such behavior")
	}
	return p.each(args[:1], func(n *Node) {
		n.Crash()
		n.Behavior = behaviors[args[1]]()
		n.start()
	})
}

func (p *Player) partition(args []string) (func(), error) {
	var groups [][]int
	for _, group := range strings.Split(strings.Join(args, " "), "|") {
		list, err := p.nodes(strings.Fields(group))
		if err != nil {
			return nil, err
		}
		groups = append(groups, list)
	}
	return func() { p.Network().Partition(groups...) }, nil
}

func (p *Player) addRule(hold bool, args []string) (func(), error) {
	if len(args) == 1 && args[0] == "nothing" {
		return func() { p.setRules(nil) }, nil
	}
	r, err := p.rule(hold, args)
	return func() { p.setRules(append(slices.Clone(p.rules), r)) }, err
}

func (p *Player) setBack(args []string) (func(), error) {
	if len(args) < 2 {
		return nil, errors.New("setback 2 0 1")
	}
	height, err := strconv.Atoi(args[0])
	if err != nil || height < 0 {
		return nil, fmt.Errorf("height %q", args[0])
	}
	return p.each(args[1:], func(n *Node) {
		if !n.Up() && n.chain.length() > height+1 {
			n.chain.truncate(height + 1)
			n.net.note(n.id, "its chain is put back: at height %d", n.Height())
		}
	})
}

func (p *Player) spoilDisk(args []string) (func(), error) {
	if len(args) != 2 || !slices.Contains([]string{"full", "failing", "good"}, args[1]) {
		return nil, errors.New("disk 1 full, failing or good")
	}
	return p.each(args[:1], func(n *Node) {
		n.Spoilt = true
		n.disk.set(args[1] == "full", args[1] == "failing")
		n.net.note(n.id, "its disk is %s", args[1])
	})
}

// change sets conditions of the network.
func (p *Player) change(args []string) (func(), error) {
	for _, w := range args {
		if key, _, _ := strings.Cut(w, "="); !slices.Contains(conditions, key) {
			return nil, fmt.Errorf("condition %q", w)
		}
		if err := new(Player).setting(w); err != nil {
			return nil, err
		}
	}
	return func() {
		n := p.Network()
		n.mu.Lock()
		defer n.mu.Unlock()
		p.cfg.Conditions = n.cfg.Conditions
		for _, w := range args {
			_ = p.setting(w) // which was tried
		}
		n.cfg.Conditions = p.cfg.Conditions
	}, nil
}

func (p *Player) noteStatus() {
	for _, n := range p.Network().nodes {
		s := n.Status()
		text := "is down"
		if n.Up() {
			text = fmt.Sprintf("in (%d, %d), %v", s.Sequence, s.Round, s.State)
			if s.Locked {
				text += fmt.Sprintf(", locked on %s in round %d", n.net.name(s.LockedBlock), s.LockedRound)
			}
		}
		n.net.note(n.id, "at height %d, %s", n.Height(), text)
	}
}

// expect compares what is known of a node with what should be.
func (p *Player) expect(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("%w: expect 0 height=3", errScript)
	}
	list, err := p.nodes(args[:1])
	if err != nil {
		return fmt.Errorf("%w: %w", errScript, err)
	}
	node := p.Network().Node(list[0])
	s := node.Status()
	for _, w := range args[1:] {
		key, want, _ := strings.Cut(w, "=")
		name := strings.TrimRight(key, "0123456789")
		number, _ := strconv.ParseUint(strings.TrimPrefix(key, name), 10, 64)
		got := "none"
		switch block := node.Block(number); name {
		case "height":
			got = fmt.Sprint(node.Height())
		case "round":
			got = fmt.Sprint(s.Round)
		case "sequence":
			got = fmt.Sprint(s.Sequence)
		case "locked":
			if s.Locked {
				got = p.net.name(s.LockedBlock)
			}
		case "waiting":
			got = fmt.Sprint(node.Waiting())
		case "block":
			if block != nil {
				got = p.net.name(block.Hash())
			}
		case "sealed":
			if block != nil {
				x, err := block.Header().WBFTExtra()
				if err != nil {
					return err
				}
				got = fmt.Sprint(x.Round)
			}
		default:
			return fmt.Errorf("%w: %q", errScript, w)
		}
		if got != want {
			return fmt.Errorf("it is %s", got)
		}
	}
	return nil
}

func (p *Player) rule(hold bool, args []string) (rule, error) {
	r := rule{sequence: -1, round: -1, chance: 1, hold: hold}
	if len(args)%2 == 0 {
		return r, errors.New("which messages?")
	}
	for code, kind := range kinds {
		if kind == args[0] {
			r.code = code
		}
	}
	if r.code == 0 && args[0] != "ANY" {
		return r, errors.New("no such kind of message")
	}
	for i := 1; i < len(args); i += 2 {
		var err error
		switch value := args[i+1]; args[i] {
		case "from":
			r.from, err = p.nodes(strings.Split(value, ","))
		case "to":
			r.to, err = p.nodes(strings.Split(value, ","))
		case "sequence":
			r.sequence, err = strconv.ParseInt(value, 10, 64)
		case "round":
			r.round, err = strconv.ParseInt(value, 10, 64)
		case "chance":
			r.chance, err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("%q", args[i])
		}
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// setRules replaces the rules. Drivers look at them from their goroutines.
func (p *Player) setRules(rules []rule) {
	n := p.Network()
	n.mu.Lock()
	defer n.mu.Unlock()
	p.rules = rules
	n.Intercept = p.intercept
}

func (p *Player) intercept(from, to int, code uint64, payload []byte) bool {
	n := p.net
	n.mu.Lock()
	rules := p.rules
	n.mu.Unlock()
	for _, r := range rules {
		if !r.applies(n, from, to, code, payload) {
			continue
		}
		if r.hold {
			n.mu.Lock()
			p.held = append(p.held, func() { n.Node(to).receive(n.Node(from), code, payload) })
			n.mu.Unlock()
		}
		return false
	}
	return true
}

// release delivers what was held, one after the other, and holds nothing more.
func (p *Player) release() {
	n := p.Network()
	n.mu.Lock()
	held := p.held
	p.held = nil
	p.rules = slices.DeleteFunc(slices.Clone(p.rules), func(r rule) bool { return r.hold })
	n.mu.Unlock()
	for i, deliver := range held {
		n.after(time.Duration(i+1)*time.Microsecond, deliver)
	}
}

// conditions are the settings that may change.
var conditions = []string{"drop", "duplicate", "blockdrop", "delay", "execution", "sync", "blocksync", "unexamined"}

// behaviors are the Byzantine ones by name.
var behaviors = map[string]func() Behavior{
	"silent":       func() Behavior { return silent{} },
	"badseals":     func() Behavior { return badSeals{} },
	"equivocator":  func() Behavior { return new(equivocator) },
	"forger":       func() Behavior { return forger{} },
	"invalid":      func() Behavior { return invalidProposer{} },
	"bodyswapper":  func() Behavior { return bodySwapper{} },
	"runner":       func() Behavior { return runner{} },
	"replayer":     func() Behavior { return new(replayer) },
	"selective":    func() Behavior { return selective{} },
	"amnesiac":     func() Behavior { return amnesiac{} },
	"usurper":      func() Behavior { return new(usurper) },
	"claimant":     func() Behavior { return claimant{} },
	"doublesealer": func() Behavior { return doubleSealer{} },
	"stretcher":    func() Behavior { return new(stretcher) },
	"dearwrong":    func() Behavior { return dearProposer{took: 10 * time.Second, wrong: true} },
	"dearright":    func() Behavior { return dearProposer{took: 10 * time.Second} },
	"dearintime":   func() Behavior { return dearProposer{took: 1500 * time.Millisecond} },
	"dearlie":      func() Behavior { return dearProposer{took: 1500 * time.Millisecond, wrong: true} },
	"window":       func() Behavior { return &contester{size: rules.MaxBlock} },
	"oversizer":    func() Behavior { return &contester{size: rules.MaxBlock + 1} },
	"wrapper":      func() Behavior { return &contester{wrapped: true} },
}

func init() {
	for _, name := range append(modes.Names(), modes.Every) {
		behaviors[name] = func() Behavior { return &named{name: name} }
	}
}

// behaviorNames are their names in order.
func behaviorNames() []string { return slices.Sorted(maps.Keys(behaviors)) }
