// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"fmt"
	"regexp"
	"strings"
)

const maxSignature = 4096 // bytes

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*`)

// parseSignature reads an event as Solidity writes it, with or without names, and with tuples in parentheses.
func parseSignature(text string) (*event, error) {
	if len(text) > maxSignature {
		return nil, fmt.Errorf("signature has %d bytes, at most %d are read", len(text), maxSignature)
	}
	p := signatureParser{rest: text}
	p.space()
	name := p.word()
	if name == "event" {
		name = p.word()
	}
	if name == "" {
		return nil, p.fault("the name of an event")
	}
	parameters, err := p.list(0)
	if err != nil {
		return nil, err
	}
	if p.take("anonymous") {
		return nil, fmt.Errorf("signature %.80q: the event is anonymous: its logs do not name it", text)
	}
	p.take(";")
	if p.rest != "" {
		return nil, p.fault("the end")
	}
	made, err := newEvent(name, parameters)
	if err != nil {
		return nil, fmt.Errorf("signature %.80q: %w", text, err)
	}
	return made, nil
}

type signatureParser struct{ rest string }

func (p *signatureParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// word takes the next identifier, and is empty when there is none.
func (p *signatureParser) word() string {
	word := identifier.FindString(p.rest)
	p.rest = p.rest[len(word):]
	p.space()
	return word
}

// take takes a text if it comes next.
func (p *signatureParser) take(text string) bool {
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
		p.space()
	}
	return ok
}

func (p *signatureParser) fault(wanted string) error {
	return fmt.Errorf(`signature: %s is wanted before %.40q, as in "Paid(address indexed merchant, uint256 amount)"`,
		wanted, p.rest)
}

// list reads parameters in parentheses.
func (p *signatureParser) list(depth int) ([]parameter, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("signature: tuples are nested more than %d deep", maxDepth)
	}
	if !p.take("(") {
		return nil, p.fault("a parenthesis")
	}
	var list []parameter
	for !p.take(")") {
		if len(list) > 0 && !p.take(",") {
			return nil, p.fault("a comma")
		}
		made, err := p.parameter(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, made)
	}
	return list, nil
}

var dimensions = regexp.MustCompile(`^(\[[0-9]{0,9}\])*`)

func (p *signatureParser) parameter(depth int) (made parameter, err error) {
	kind := p.word()
	if kind == "tuple" || kind == "" {
		kind = "tuple"
		if made.Components, err = p.list(depth + 1); err != nil {
			return made, err
		}
	}
	brackets := dimensions.FindString(p.rest)
	p.rest = p.rest[len(brackets):]
	p.space()
	made.Type = kind + brackets
	made.Name = p.word()
	if made.Name == "indexed" {
		made.Indexed, made.Name = true, p.word()
	}
	return made, nil
}
