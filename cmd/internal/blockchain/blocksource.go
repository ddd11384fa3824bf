// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/internal/atomicfile"
)

const (
	era1Suffix    = ".era1"
	rawSuffix     = ".rlp"
	checksumsName = "checksums.txt" // a SHA-256 per era1 file, in the order of their names, as go-ethereum writes it
)

// blockSource gives blocks in order. Receipts that it has beside them are of their roots.
type blockSource interface {
	// next returns io.EOF behind the last block.
	next() (*types.Block, error)
	// position returns how many bytes were read.
	position() uint64
	io.Closer
}

// openBlocks opens blocks for reading: a file that gwon export wrote, an era1 file, a directory of era1 files, or one
// of stored raw blocks, blocks/NUMBER.rlp with receipts/NUMBER.rlp beside them. size is that of all in bytes, 0 for a
// pipe.
func openBlocks(path string) (source blockSource, size uint64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case info.IsDir():
		return openDirectory(path)
	case strings.HasSuffix(path, era1Suffix):
		return &eraSource{dir: filepath.Dir(path), names: []string{filepath.Base(path)}}, uint64(info.Size()), nil
	}
	stream, err := openStream(path)
	if err != nil {
		return nil, 0, err
	}
	return stream, uint64(info.Size()), nil
}

// openStream opens a file that gwon export wrote.
func openStream(path string) (*streamSource, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stream := &streamSource{file: file, bytes: &counted{Reader: file}}
	var reader io.Reader = stream.bytes
	if strings.HasSuffix(path, ".gz") {
		if reader, err = gzip.NewReader(reader); err != nil {
			return nil, errors.Join(fmt.Errorf("it is no gzip file: %w", err), file.Close())
		}
	}
	stream.stream = rlp.NewStream(reader, 0)
	return stream, nil
}

// openDirectory opens a directory of era1 files or of stored raw blocks.
func openDirectory(path string) (blockSource, uint64, error) {
	names, size, err := filesOf(path, era1Suffix)
	if err != nil {
		return nil, 0, err
	}
	if len(names) > 0 {
		sums, err := readChecksums(path, len(names))
		return &eraSource{dir: path, names: names, sums: sums}, size, err
	}
	blocks := path
	if info, err := os.Stat(filepath.Join(path, "blocks")); err == nil && info.IsDir() {
		blocks = filepath.Join(path, "blocks")
	}
	if names, size, err = filesOf(blocks, rawSuffix); err != nil {
		return nil, 0, err
	}
	if len(names) == 0 {
		return nil, 0, fmt.Errorf("it has neither files *%s nor blocks/*%s", era1Suffix, rawSuffix)
	}
	raw := &rawSource{blocks: blocks, receipts: filepath.Join(filepath.Dir(blocks), "receipts")}
	for _, name := range names {
		number, err := strconv.ParseUint(strings.TrimSuffix(name, rawSuffix), 10, 64)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: the name is not the number of a block", filepath.Join(blocks, name))
		}
		raw.files = append(raw.files, rawFile{number, name})
	}
	slices.SortFunc(raw.files, func(a, b rawFile) int { return int(min(max(int64(a.number-b.number), -1), 1)) })
	return raw, size, nil
}

// filesOf returns the files of a directory with a suffix, by name, and how many bytes they have.
func filesOf(dir, suffix string) (names []string, size uint64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, entry := range entries {
		if entry.IsDir() || !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, 0, err
		}
		names, size = append(names, entry.Name()), size+uint64(info.Size())
	}
	return names, size, nil
}

// streamSource reads a file that gwon export wrote.
type streamSource struct {
	file   io.Closer
	bytes  *counted
	stream *rlp.Stream
	count  int
}

func (s *streamSource) next() (*types.Block, error) {
	block := new(types.Block)
	switch err := s.stream.Decode(block); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case err != nil && s.count == 0:
		return nil, fmt.Errorf("it does not begin with an exported block (%w): give a file that gwon export wrote, whose "+
			"name ends in .gz if it is compressed", inWords(err))
	case err != nil:
		return nil, fmt.Errorf("block %d of the file is damaged (%w): export it again", s.count, inWords(err))
	}
	s.count++
	return block, nil
}

func (s *streamSource) position() uint64 { return s.bytes.bytes }

// Close implements io.Closer.
func (s *streamSource) Close() error { return s.file.Close() }

// eraSource reads era1 files.
type eraSource struct {
	dir   string
	names []string
	sums  []string // of the files; nil if unknown
	file  int      // index of the current one, or of the next if none is open
	open  *utils.Era1Reader
	at    uint64 // number of the next block; 0 at the first file
	done  uint64
}

func (s *eraSource) next() (*types.Block, error) {
	for {
		if s.open == nil {
			if s.file == len(s.names) {
				return nil, io.EOF
			}
			if err := s.openFile(); err != nil {
				return nil, fmt.Errorf("%s: %w", s.names[s.file], err)
			}
		}
		block, receipts, err := s.open.Next()
		switch {
		case errors.Is(err, io.EOF):
			err := s.open.Close()
			s.open = nil
			s.file++
			if err != nil {
				return nil, err
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("%s is damaged at block %d (%w): export it again", s.names[s.file], s.at, inWords(err))
		case !block.Number().IsUint64() || block.NumberU64() != s.at:
			return nil, fmt.Errorf("%s: block %v stands where block %d belongs", s.names[s.file], block.Number(), s.at)
		}
		if err := checkReceipts(block, receipts); err != nil {
			return nil, fmt.Errorf("%s: %w", s.names[s.file], err)
		}
		s.at++
		return block, nil
	}
}

// openFile checks the next file as a whole and opens it.
func (s *eraSource) openFile() (err error) {
	file, err := os.Open(filepath.Join(s.dir, s.names[s.file]))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	size, sum, err := checksum(file)
	if err != nil {
		return err
	}
	if s.sums != nil && sum != s.sums[s.file] {
		return fmt.Errorf("its SHA-256 is %s, %s says %s: it is damaged, get it again", sum, checksumsName, s.sums[s.file])
	}
	reader, first, _, err := utils.OpenEra1(file)
	if err != nil {
		return err
	}
	if s.file > 0 && first != s.at {
		return fmt.Errorf("it begins with block %d, but the file before ends with block %d", first, s.at-1)
	}
	s.open, s.at, s.done = reader, first, s.done+size
	return nil
}

func (s *eraSource) position() uint64 { return s.done }

// Close implements io.Closer.
func (s *eraSource) Close() error {
	if s.open == nil {
		return nil
	}
	return s.open.Close()
}

// checksum returns the size and the SHA-256 of what a reader has, in the form of checksumsName.
func checksum(reader io.Reader) (size uint64, sum string, err error) {
	hash := sha256.New()
	n, err := io.Copy(hash, reader)
	return uint64(n), "0x" + hex.EncodeToString(hash.Sum(nil)), err
}

// readChecksums reads the checksums of a directory with count era1 files; nil if it has none.
func readChecksums(dir string, count int) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(dir, checksumsName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	sums := strings.Fields(string(text))
	if len(sums) != count {
		return nil, fmt.Errorf("%s has %d checksums for %d files: files are missing, or the export has not finished",
			checksumsName, len(sums), count)
	}
	return sums, nil
}

// rawSource reads blocks that were stored one by one.
type rawSource struct {
	blocks, receipts string
	files            []rawFile // that come next
	done             uint64
}

type rawFile struct {
	number uint64
	name   string
}

func (s *rawSource) next() (*types.Block, error) {
	if len(s.files) == 0 {
		return nil, io.EOF
	}
	file := s.files[0]
	s.files = s.files[1:]
	path := filepath.Join(s.blocks, file.name)
	encoded, err := atomicfile.Read(path)
	if err != nil {
		return nil, err
	}
	s.done += uint64(len(encoded))
	block := new(types.Block)
	if len(encoded) == 0 {
		return nil, fmt.Errorf("%s is empty", path) // which package rlp reports as the end of what there is
	}
	if err := rlp.DecodeBytes(encoded, block); err != nil {
		return nil, fmt.Errorf("%s is no block (%w)", path, inWords(err))
	}
	if !block.Number().IsUint64() || block.NumberU64() != file.number {
		return nil, fmt.Errorf("%s is block %v", path, block.Number())
	}
	path = filepath.Join(s.receipts, file.name)
	switch encoded, err = atomicfile.Read(path); {
	case errors.Is(err, os.ErrNotExist):
		return block, nil
	case err != nil:
		return nil, err
	}
	receipts, err := rawReceipts(encoded)
	if err != nil {
		return nil, fmt.Errorf("%s has no receipts (%w)", path, inWords(err))
	}
	if err := checkReceipts(block, receipts); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return block, nil
}

func (s *rawSource) position() uint64 { return s.done }

// Close implements io.Closer.
func (s *rawSource) Close() error { return nil }

// rawReceipts decodes what debug_getRawReceipts returns, as an RLP list.
func rawReceipts(encoded []byte) (types.Receipts, error) {
	var list [][]byte
	if err := rlp.DecodeBytes(encoded, &list); err != nil {
		return nil, err
	}
	receipts := make(types.Receipts, len(list))
	for i, item := range list {
		receipts[i] = new(types.Receipt)
		if err := receipts[i].UnmarshalBinary(item); err != nil {
			return nil, fmt.Errorf("receipt %d: %w", i, err)
		}
	}
	return receipts, nil
}

// checkReceipts checks that receipts are those of a block.
func checkReceipts(block *types.Block, receipts types.Receipts) error {
	if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != block.ReceiptHash() {
		return fmt.Errorf("block %d: the receipts have root %v, the header says %v", block.Number(), root,
			block.ReceiptHash())
	}
	return nil
}
