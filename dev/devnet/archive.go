// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/gofrs/flock"

	"gwon/internal/atomicfile"
)

// An archive is a compressed tar file. It contains archiveHead first and then every file of a network except logs and
// locks: settings, genesis, keys, vote logs and databases.
const (
	archiveHeadFile = "archive.json"
	archiveName     = "gwon devnet archive"
	archiveVersion  = 1
)

// Limits of an archive.
const (
	maxArchiveFiles = 1 << 20
	maxArchiveBytes = 256 << 30 // unpacked
)

// importDir holds the files of an archive until all of them are written.
const importDir = "import"

// archiveHead describes an archive.
type archiveHead struct {
	Name    string      `json:"name"`
	Version int         `json:"version"`
	Genesis common.Hash `json:"genesis"` // Keccak-256 of the genesis file
}

// Archived describes the network of an archive.
type Archived struct {
	Validators int
	Accounts   int
	ChainID    uint64
	Period     time.Duration
	Files      int
	Bytes      int64 // unpacked
}

func (a *Archived) describe(s settings) {
	a.Validators, a.Accounts, a.ChainID = s.Validators, s.Accounts, s.ChainID
	a.Period = time.Duration(s.Period) * time.Second //nolint:gosec // below 2^33 seconds by the check of the settings
}

// Export writes the stopped network in dir to a new file. The file is complete or absent.
func Export(dir, file string) (archived *Archived, err error) {
	n, err := reserve(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	have, genesis, err := readSettings(n.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no network in %s: gwon-dev devnet makes one, or name its directory with --datadir",
			n.Dir)
	}
	if err != nil {
		return nil, err
	}
	if err := n.checkStopped(have.Validators); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(file); err == nil {
		return nil, fmt.Errorf("%s exists already: name a new file", file)
	}
	out, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return nil, fmt.Errorf("export the network: %w", err)
	}
	archived = new(Archived)
	archived.describe(have)
	err = errors.Join(n.pack(out, genesis, archived), out.Sync(), out.Close())
	if err == nil {
		err = atomicfile.Rename(out.Name(), file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("export the network to %s: %w", file, err), os.Remove(out.Name()))
	}
	return archived, nil
}

// reserve locks the directory of a network.
func reserve(dir string) (*Network, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", dir, err)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, fmt.Errorf("there is no network in %s: gwon-dev devnet makes one, or name its directory with --datadir",
			path)
	}
	n := &Network{Dir: path}
	if err := n.claim(); err != nil {
		return nil, fmt.Errorf("%w: stop it first", err)
	}
	return n, nil
}

// checkStopped refuses a network with a running node. Nodes run for a moment after their network was killed.
func (n *Network) checkStopped(nodes int) error {
	for i := range nodes {
		name := fmt.Sprintf("node%d", i+1)
		lock := flock.New(filepath.Join(n.path(name), "gwon", "LOCK"))
		free, err := lock.TryLock()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("lock %s: %w", name, err)
		case !free:
			return fmt.Errorf("%s of the network in %s still runs: stop it first", name, n.Dir)
		}
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("unlock %s: %w", name, err)
		}
	}
	return nil
}

// readSettings returns the settings of the network in a directory, and the Keccak-256 hash of its genesis file.
func readSettings(dir string) (s settings, genesis common.Hash, err error) {
	content, err := atomicfile.Read(filepath.Join(dir, markerFile))
	if err != nil {
		return s, genesis, err
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, genesis, fmt.Errorf("%s is damaged: %w", filepath.Join(dir, markerFile), err)
	}
	if s.Validators < 1 || s.Validators > maxValidators || s.Period == 0 || s.Period > 1<<32 {
		return s, genesis, fmt.Errorf("%s is damaged: %d validators and a period of %d seconds",
			filepath.Join(dir, markerFile), s.Validators, s.Period)
	}
	if content, err = atomicfile.Read(filepath.Join(dir, genesisFile)); err != nil {
		return s, genesis, err
	}
	return s, crypto.Keccak256Hash(content), nil
}

// pack writes an archive.
func (n *Network) pack(to io.Writer, genesis common.Hash, archived *Archived) error {
	packed := gzip.NewWriter(to)
	files := tar.NewWriter(packed)
	head, err := json.Marshal(archiveHead{archiveName, archiveVersion, genesis})
	if err != nil {
		return fmt.Errorf("encode %s: %w", archiveHeadFile, err)
	}
	if err := addFile(files, archiveHeadFile, 0o644, int64(len(head)), bytes.NewReader(head)); err != nil {
		return err
	}
	err = filepath.WalkDir(n.Dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(n.Dir, file)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); !entry.Type().IsRegular() || !archivable(name) {
			return nil
		}
		archived.Files++
		size, err := copyIn(files, name, file)
		archived.Bytes += size
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(files.Close(), packed.Close())
}

// copyIn adds a file to an archive and returns its size in bytes.
func copyIn(files *tar.Writer, name, file string) (size int64, err error) {
	in, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), addFile(files, name, info.Mode().Perm(), info.Size(), in)
}

func addFile(files *tar.Writer, name string, mode fs.FileMode, size int64, content io.Reader) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: size, Format: tar.FormatPAX}
	if err := files.WriteHeader(header); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := io.Copy(files, content); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// archivable reports whether an archive contains a file, by its path in the network's directory with slashes. It
// contains settings, and all files of a node except log, lock and recording.
func archivable(name string) bool {
	if strings.ContainsAny(name, `\:`) || !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name {
		return false
	}
	top, rest, nested := strings.Cut(name, "/")
	switch top {
	case markerFile, genesisFile, passwordFile:
		return !nested
	}
	isNode, err := filepath.Match(nodePattern, top)
	if err != nil || !isNode || !nested || atomicfile.PartialOf(top) != "" {
		return false
	}
	base := path.Base(rest)
	return !strings.HasPrefix(rest, "gwon/recorder/") && base != "LOCK" && !strings.HasPrefix(base, "gwon.log")
}

// Import writes the network of an archive to dir. An existing network is replaced only with replace and an equal
// genesis file. It is not changed before the archive has been read completely.
func Import(file, dir string, replace bool) (archived *Archived, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("import the network: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	damaged := func(err error) error {
		return fmt.Errorf("%s is damaged, or no archive of gwon-dev devnet export (%w): get another copy; no network was "+
			"changed",
			file, err)
	}
	files, finish, head, err := openArchive(in)
	if err != nil {
		return nil, damaged(err)
	}
	if head.Version != archiveVersion {
		return nil, fmt.Errorf("%s is of version %d and this program reads version %d: export the network with this program",
			file, head.Version, archiveVersion)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("make directory of the network: %w", err)
	}
	n, err := reserve(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := n.checkReplaceable(file, head.Genesis, replace); err != nil {
		return nil, err
	}
	staged := n.path(importDir + partialMark)
	if err := os.RemoveAll(staged); err != nil {
		return nil, fmt.Errorf("remove an earlier import: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staged)) }()
	archived = new(Archived)
	var local *fs.PathError // of a file that is written, not of the archive
	if err := unpack(files, staged, archived); errors.As(err, &local) && local.Path != file {
		return nil, fmt.Errorf("import %s: %w", file, err)
	} else if err != nil {
		return nil, damaged(err)
	}
	if err := finish(); err != nil {
		return nil, damaged(err)
	}
	have, genesis, err := readSettings(staged)
	if err == nil && genesis != head.Genesis {
		err = errors.New("its genesis file is not the one that it names")
	}
	for i := 0; err == nil && i < have.Validators; i++ {
		_, err = os.Stat(filepath.Join(staged, fmt.Sprintf("node%d", i+1), "gwon", "nodekey"))
	}
	if err != nil {
		return nil, damaged(err)
	}
	archived.describe(have)
	return archived, n.adopt(staged)
}

// openArchive reads the start of an archive. The returned function reads the end with its checksum.
func openArchive(in io.Reader) (files *tar.Reader, finish func() error, head archiveHead, err error) {
	packed, err := gzip.NewReader(in)
	if err != nil {
		return nil, nil, head, err
	}
	files = tar.NewReader(packed)
	header, err := files.Next()
	if err != nil {
		return nil, nil, head, err
	}
	if header.Name != archiveHeadFile {
		return nil, nil, head, fmt.Errorf("it begins with %q", header.Name)
	}
	if err := json.NewDecoder(io.LimitReader(files, atomicfile.MaxFile)).Decode(&head); err != nil {
		return nil, nil, head, err
	}
	if head.Name != archiveName {
		return nil, nil, head, fmt.Errorf("it is of kind %q", head.Name)
	}
	finish = func() error {
		rest, err := io.Copy(io.Discard, io.LimitReader(packed, atomicfile.MaxFile))
		if err == nil && rest == atomicfile.MaxFile {
			err = errors.New("something follows its end")
		}
		return err
	}
	return files, finish, head, nil
}

// checkReplaceable refuses a directory whose network the archive must not replace.
func (n *Network) checkReplaceable(file string, genesis common.Hash, replace bool) error {
	if _, err := os.Stat(n.path(markerFile)); errors.Is(err, fs.ErrNotExist) {
		return nil // claim has checked the content
	}
	have, there, err := readSettings(n.Dir)
	switch {
	case err != nil:
		return fmt.Errorf("%s holds a network that cannot be read, give another --datadir: %w", n.Dir, err)
	case there != genesis:
		return fmt.Errorf("%s begins with another genesis block than the network in %s: give another --datadir", file, n.Dir)
	case !replace:
		return fmt.Errorf("%s holds this network already, with blocks of its own: --reset puts the archive in their place, "+
			"or give another --datadir", n.Dir)
	}
	return n.checkStopped(have.Validators)
}

// unpack writes the files of an archive below a directory.
func unpack(files *tar.Reader, to string, archived *Archived) error {
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		archived.Files++
		archived.Bytes += header.Size
		switch {
		case header.Typeflag != tar.TypeReg || !archivable(header.Name):
			return fmt.Errorf("a network has no file %q", header.Name)
		case archived.Files > maxArchiveFiles || header.Size > maxArchiveBytes || archived.Bytes > maxArchiveBytes:
			return fmt.Errorf("it has more than %d files or %d bytes", maxArchiveFiles, int64(maxArchiveBytes))
		}
		mode := fs.FileMode(0o644)
		if header.Mode&0o077 == 0 {
			mode = 0o600
		}
		if err := copyOut(files, filepath.Join(to, filepath.FromSlash(header.Name)), mode); err != nil {
			return err
		}
	}
}

// copyOut writes the remaining content of an entry to a new file.
func copyOut(from io.Reader, file string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("it has two files %q", filepath.Base(file))
	}
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, from); err != nil {
		return errors.Join(err, out.Close())
	}
	return errors.Join(out.Sync(), out.Close())
}

// adopt replaces the files of a network. The marker is last: without it there is no network.
func (n *Network) adopt(staged string) error {
	entries, err := os.ReadDir(staged)
	if err != nil {
		return fmt.Errorf("import the network: %w", err)
	}
	old, err := os.ReadDir(n.Dir)
	if err != nil {
		return fmt.Errorf("read directory of the network: %w", err)
	}
	for _, e := range old {
		if name := e.Name(); ours(name) && name != lockFile && name != filepath.Base(staged) {
			if err := os.RemoveAll(n.path(name)); err != nil {
				return fmt.Errorf("remove the network that the archive replaces: %w", err)
			}
		}
	}
	for _, e := range entries {
		if name := e.Name(); name != markerFile {
			if err := os.Rename(filepath.Join(staged, name), n.path(name)); err != nil {
				return fmt.Errorf("import the network: %w", err)
			}
		}
	}
	if err := atomicfile.Rename(filepath.Join(staged, markerFile), n.path(markerFile)); err != nil {
		return fmt.Errorf("import the network: %w", err)
	}
	return nil
}
