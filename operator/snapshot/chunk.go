// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package snapshot

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/rlp"
	"github.com/klauspost/compress/zstd"

	"gwon/internal/atomicfile"
)

// window is the most that the decompression of a chunk looks back, in bytes.
const window = 8 << 20

// readBuffer is the size in bytes of what is decompressed ahead.
const readBuffer = 64 << 10

// partialSuffix ends the name of a chunk that is being written or downloaded.
const partialSuffix = ".part"

// chunkWriter writes items into chunks of one kind.
type chunkWriter struct {
	dir   string
	kind  kind
	limit uint64 // bytes before compression, with which a chunk is complete
	room  func(dir string) error
	done  []Chunk

	file *os.File // nil between two chunks
	sum  hash.Hash
	zip  *zstd.Encoder
	now  Chunk
}

func (w *chunkWriter) path() string { return filepath.Join(w.dir, chunkName(w.kind, len(w.done))) }

// Write implements io.Writer for what the compression gives.
func (w *chunkWriter) Write(packed []byte) (int, error) {
	if _, err := w.sum.Write(packed); err != nil {
		return 0, err
	}
	n, err := w.file.Write(packed)
	w.now.Size += uint64(n)
	return n, err
}

// add appends an encoded item, which is of that many blocks.
func (w *chunkWriter) add(item []byte, blocks uint64) error {
	if len(item) > maxItem {
		return fmt.Errorf("an item of %s has %d bytes, at most %d are allowed", w.path(), len(item), maxItem)
	}
	if w.file == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	if _, err := w.zip.Write(item); err != nil {
		return err
	}
	w.now.Blocks += blocks
	if w.now.Unpacked += uint64(len(item)); w.now.Unpacked >= w.limit {
		return w.end()
	}
	return nil
}

func (w *chunkWriter) begin() (err error) {
	if len(w.done) == maxChunks {
		return fmt.Errorf("the snapshot has more than %d chunks of %s", maxChunks, w.kind)
	}
	if err := w.room(w.dir); err != nil {
		return err
	}
	if w.file, err = os.Create(w.path() + partialSuffix); err != nil {
		return err
	}
	w.sum, w.now = sha256.New(), Chunk{}
	if w.zip == nil {
		w.zip, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	} else {
		w.zip.Reset(w)
	}
	return err
}

// end finishes the chunk that is being written, if there is one.
func (w *chunkWriter) end() error {
	if w.file == nil {
		return nil
	}
	err := w.zip.Close()
	err = errors.Join(err, w.file.Sync(), w.file.Close())
	w.file = nil
	if err != nil {
		return err
	}
	if err := atomicfile.Rename(w.path()+partialSuffix, w.path()); err != nil {
		return err
	}
	w.sum.Sum(w.now.SHA256[:0])
	w.done = append(w.done, w.now)
	return nil
}

// close gives up a chunk that is being written.
func (w *chunkWriter) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}

// checkFile compares length and SHA-256 of a file with those of a chunk.
func checkFile(path string, c Chunk) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if uint64(info.Size()) != c.Size {
		return fmt.Errorf("%w: it has %d bytes, the manifest says %d", errChunk, info.Size(), c.Size)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if have := Digest(sum.Sum(nil)); have != c.SHA256 {
		return fmt.Errorf("%w: it has SHA-256 %v, the manifest says %v", errChunk, have, c.SHA256)
	}
	return nil
}

// errChunk means that a file is not the chunk of the manifest.
var errChunk = errors.New("another file than in the manifest")

// readChunk decompresses a file and calls each for the stream of its items, as long as there are any.
func readChunk(path string, c Chunk, each func(*rlp.Stream) error) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzip, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return err
	}
	defer unzip.Close()
	content := &countingReader{Reader: bufio.NewReaderSize(unzip, readBuffer)}
	stream := rlp.NewStream(content, c.Unpacked)
	for {
		if _, _, err := stream.Kind(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if err := each(stream); err != nil {
			return err
		}
	}
	if _, err := content.Reader.ReadByte(); !errors.Is(err, io.EOF) || content.count != c.Unpacked {
		return fmt.Errorf("it does not unpack to the %d bytes that the manifest says", c.Unpacked)
	}
	return nil
}

// countingReader counts what is read. It implements rlp.ByteReader, so that a stream reads no further than its items.
type countingReader struct {
	*bufio.Reader
	count uint64
}

// Read implements io.Reader.
func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.count += uint64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (r *countingReader) ReadByte() (byte, error) {
	b, err := r.Reader.ReadByte()
	if err == nil {
		r.count++
	}
	return b, err
}
