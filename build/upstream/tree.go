// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/dirhash"
)

// stampFile lies in the tree and tells what it was made from.
const stampFile = ".gwon-upstream.json"

// stamp tells what a tree was made from.
type stamp struct {
	Inputs  string // hash over upstream's sum, the applied patches and the list of siblings
	Content string // hash over the tree as it was made, siblings excluded
	Open    string // the patch that 'edit' stopped at, or empty
}

func (p *project) inputs(patches []string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, "layout 1", p.version, p.sum)
	for _, n := range patches {
		data, err := os.ReadFile(p.patchFile(n))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "patch %s %x\n", n, sha256.Sum256(data))
	}
	for _, s := range p.siblings {
		fmt.Fprintln(h, "sibling", s)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (p *project) readStamp() (stamp, error) {
	var s stamp
	data, err := os.ReadFile(filepath.Join(p.tree(), stampFile))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}

// contentHash hashes every regular file of a tree; siblings are links and do not take part.
func contentHash(tree string) (string, error) {
	var files []string
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && d.Name() != stampFile {
			rel, err := filepath.Rel(tree, path)
			if err != nil {
				return err
			}
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return dirhash.Hash1(files, func(name string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(tree, filepath.FromSlash(name)))
	})
}

// materialise makes the tree with the patches up to and including open (all when empty). A tree that was edited by hand
// is only replaced when force is set.
func (p *project) materialise(open string, force bool) error {
	patches := p.patches
	if open != "" {
		patches = p.patches[:p.upTo(open)]
	}
	inputs, err := p.inputs(patches)
	if err != nil {
		return err
	}
	if old, err := p.readStamp(); err == nil && !force {
		have, err := contentHash(p.tree())
		if err != nil {
			return err
		}
		edited := have != old.Content
		switch {
		case edited && old.Inputs == inputs:
			fmt.Println("upstream: build/go-ethereum has edits that no patch holds; 'upstream save NNNN-topic' keeps them, " +
				"'make upstream-force' throws them away")
			return nil
		case edited:
			return errors.New("build/go-ethereum has edits that no patch holds, and patches or siblings have changed since it " +
				"was made: 'upstream save NNNN-topic' keeps the edits, 'make upstream-force' throws them away")
		case old.Inputs == inputs && old.Open == open:
			return nil
		}
	}
	src, err := p.fetch()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Join(p.root, "build"), ".go-ethereum-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := p.fill(tmp, src, patches); err != nil {
		return err
	}
	content, err := contentHash(tmp)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(stamp{inputs, content, open}, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, stampFile), data, 0o644); err != nil {
		return err
	}
	return p.install(tmp)
}

// fill copies the pristine module into dir, applies the patches and links the siblings.
func (p *project) fill(dir, src string, patches []string) error {
	if err := copyTree(dir, src); err != nil {
		return err
	}
	for _, n := range patches {
		pt, err := p.readPatch(n)
		if err != nil {
			return err
		}
		if err := pt.apply(dir); err != nil {
			return err
		}
	}
	for _, s := range p.siblings {
		if strings.HasSuffix(s, ".go") && !isSiblingName(s) {
			return fmt.Errorf("sibling %s ends in neither %s nor %s: rename it", s, siblingSuffix, siblingTestSuffix)
		}
		link := filepath.Join(dir, filepath.FromSlash(s))
		if _, err := os.Lstat(link); err == nil {
			return fmt.Errorf("sibling %s has the name of an upstream file: rename it", s)
		}
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		// Relative to the final place: build/go-ethereum/<dir of s>.
		up := strings.Repeat("../", strings.Count(s, "/")+2)
		if err := os.Symlink(filepath.FromSlash(up+"upstream/siblings/"+s), link); err != nil {
			return err
		}
	}
	return nil
}

// install puts a finished tree in place of the old one. Whatever happens, build/go-ethereum is either whole or absent.
func (p *project) install(tmp string) error {
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	trash := tmp + ".old"
	if err := os.Rename(p.tree(), trash); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer os.RemoveAll(trash)
	return os.Rename(tmp, p.tree())
}

func copyTree(dst, src string) error {
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// upTo returns how many patches sort before or at the name; the name need not exist yet.
func (p *project) upTo(name string) int {
	i, found := slices.BinarySearch(p.patches, name)
	if found {
		i++
	}
	return i
}

func (p *project) edit(name string) error {
	if err := p.materialise(name, false); err != nil {
		return err
	}
	fmt.Printf("upstream: build/go-ethereum stands at %s; edit it there, then run 'upstream save %s'\n", name, name)
	return nil
}

// save writes the difference between the patches before name and the tree to the patch name.
func (p *project) save(name string) error {
	st, err := p.readStamp()
	if err != nil {
		return fmt.Errorf("build/go-ethereum was not made by this tool: %w", err)
	}
	last := len(p.patches) == 0 || name >= p.patches[len(p.patches)-1]
	if st.Open != name && (st.Open != "" || !last) {
		return fmt.Errorf("the tree does not stand at %s: run 'upstream edit %s' first (unsaved edits: save them under the "+
			"patch they belong to)", name, name)
	}
	src, err := p.fetch()
	if err != nil {
		return err
	}
	base, err := os.MkdirTemp(filepath.Join(p.root, "build"), ".go-ethereum-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)
	before := p.upTo(name)
	if before > 0 && p.patches[before-1] == name {
		before--
	}
	if err := p.fill(base, src, p.patches[:before]); err != nil {
		return err
	}
	body, err := treeDiff(base, p.tree())
	if err != nil {
		return err
	}
	header := "Say here why this cannot live outside upstream, and which spec section it serves.\n\n"
	if old, err := p.readPatch(name); err == nil {
		header = old.header
	}
	if body == "" {
		return fmt.Errorf("nothing was changed relative to the patches before %s", name)
	}
	if err := os.MkdirAll(filepath.Dir(p.patchFile(name)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(p.patchFile(name), []byte(header+body), 0o644); err != nil {
		return err
	}
	next, err := openProject(p.root)
	if err != nil {
		return err
	}
	next.fetch = p.fetch
	return next.materialise("", true)
}

// treeDiff returns the unified diff of all regular files. Files that only one side has are an error.
func treeDiff(base, tree string) (string, error) {
	var out strings.Builder
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == stampFile {
			return err
		}
		rel, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		before, err := os.ReadFile(filepath.Join(base, rel))
		if err != nil {
			return fmt.Errorf("%s is not an upstream file: new files go to upstream/siblings", filepath.ToSlash(rel))
		}
		after, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			text, err := unified(filepath.ToSlash(rel), before, after)
			if err != nil {
				return err
			}
			out.WriteString(text)
		}
		return nil
	})
	return out.String(), err
}
