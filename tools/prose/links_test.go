// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	link      = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the anchors of the headings of a Markdown text, as forges form them.
func anchors(text string) map[string]bool {
	found := make(map[string]bool)
	for _, match := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		title := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(match[1], "$1")
		slug := notInSlug.ReplaceAllString(strings.ToLower(title), "")
		found[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return found
}

// brokenLinks returns the relative links of a Markdown text in dir whose file or anchor does not exist.
func brokenLinks(dir, text string) []string {
	var broken []string
	prose := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "")
	for _, match := range link.FindAllStringSubmatch(prose, -1) {
		target := match[1]
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		file, anchor, _ := strings.Cut(target, "#")
		source := text
		if file != "" {
			path := filepath.Join(dir, filepath.FromSlash(file))
			if info, err := os.Stat(path); err != nil || info.IsDir() && anchor != "" {
				broken = append(broken, target)
				continue
			} else if info.IsDir() || anchor == "" {
				continue
			}
			content, err := os.ReadFile(path)
			if err != nil {
				broken = append(broken, target)
				continue
			}
			source = string(content)
		}
		if !anchors(source)[anchor] {
			broken = append(broken, target)
		}
	}
	return broken
}

// Every relative link of a Markdown file that git tracks leads to a file, and its anchor to a heading.
func TestLinks(t *testing.T) {
	const root = "../.."
	out := must.Get(exec.Command("git", "-C", root, "ls-files", "-z", "*.md", "docs/llms.txt").Output())(t)
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	must.That(t, len(files) >= 20, "%d Markdown files found", len(files))
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join(root, filepath.FromSlash(file))
			text := must.Get(os.ReadFile(path))(t)
			for _, target := range brokenLinks(filepath.Dir(path), string(text)) {
				t.Errorf("broken link %s", target)
			}
			for _, a := range regexp.MustCompile(`\b0x[0-9a-fA-F]{40}\b`).FindAllString(string(text), -1) {
				sum := common.HexToAddress(a).Hex()
				expect.That(t, a == sum || a == strings.ToLower(a), "address %s has a wrong checksum, want %s", a, sum)
			}
		})
	}
}
