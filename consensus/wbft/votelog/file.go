// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
)

const (
	magic        = "gwonvot3"
	markerLength = 8
	headerLength = len(magic) + markerLength

	// newSuffix ends the name of a file that is to replace the log's.
	newSuffix = ".new"

	// entryOverhead bounds the bytes of an entry besides its data, with the head and trailer of a frame.
	entryOverhead = 256
)

// Kinds of entries.
const (
	// headKind is the first entry of a file. Sequence is the low watermark, Digest the hash of the genesis block, Data the
	// owner's address, Code the chain ID or 0.
	headKind uint64 = iota
	voteKind
	lockKind
	// originKind records an Origin: Since in Sequence, in seconds since 1970, and Lost as 1 in Round. The newest entry
	// counts.
	originKind
)

// entry is one item of a frame.
type entry struct {
	Kind                  uint64
	Code, Sequence, Round uint64
	Digest                common.Hash
	Data                  []byte
}

func voteEntry(r Record) entry {
	return entry{Kind: voteKind, Code: r.Code, Sequence: r.Sequence, Round: r.Round, Digest: r.Digest, Data: r.Payload}
}

func lockEntry(k Lock) entry {
	return entry{Kind: lockKind, Sequence: k.Sequence, Round: k.Round, Data: k.Certificate}
}

func (l *Log) headEntry() entry {
	return entry{Kind: headKind, Code: l.owner.ChainID, Sequence: l.floor, Digest: l.owner.Genesis,
		Data: l.owner.Validator[:]}
}

func originEntry(o Origin) entry {
	e := entry{Kind: originKind, Sequence: o.Since}
	if o.Lost {
		e.Round = 1
	}
	return e
}

func byView(a, b Record) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Code, b.Code))
}

// appendEntries appends the body of a frame to b. The buffer is sized first: a lock on a full block has megabytes.
func appendEntries(b []byte, entries []entry) ([]byte, error) {
	size := 0
	for i := range entries {
		size += len(entries[i].Data) + entryOverhead
	}
	buffer := bytes.NewBuffer(slices.Grow(b, size))
	for i := range entries {
		if err := rlp.Encode(buffer, &entries[i]); err != nil {
			return nil, fmt.Errorf("encode: %w", err)
		}
	}
	return buffer.Bytes(), nil
}

// entries decodes the body of a frame.
func entries(body []byte) (list []entry, err error) {
	for len(body) > 0 {
		_, _, rest, err := rlp.Split(body)
		if err != nil {
			return nil, err
		}
		var e entry
		if err := rlp.DecodeBytes(body[:len(body)-len(rest)], &e); err != nil {
			return nil, err
		}
		list, body = append(list, e), rest
	}
	return list, nil
}

// load reads the content of a file into l and returns the end of its last whole frame. A torn frame may follow there. A
// damaged frame, or a sound frame behind a bad one, is ErrCorrupt: frames are synced one by one, so the bad frame was
// sound once.
func (l *Log) load(content []byte) (end int64, err error) {
	if len(content) < headerLength {
		return 0, fmt.Errorf("%w: no vote log header", ErrCorrupt)
	}
	switch format := string(content[:len(magic)]); format {
	case magic:
	case "gwonvot1", "gwonvot2":
		return 0, fmt.Errorf("%w %s: %s", ErrOldFormat, format, oldFormatRemedy)
	default:
		return 0, fmt.Errorf("%w: no vote log header", ErrCorrupt)
	}
	l.marker = marker(content[len(magic):])
	rest := content[headerLength:]
	for first := true; len(rest) > 0; first = false {
		offset := len(content) - len(rest)
		body, next, ok := l.split(rest)
		if !ok {
			if first || l.soundFrameIn(rest) || !l.torn(rest, offset) {
				return 0, fmt.Errorf("%w: bad record at byte %d", ErrCorrupt, offset)
			}
			return int64(offset), nil
		}
		list, err := entries(body)
		if err != nil {
			return 0, fmt.Errorf("%w: record at byte %d: %w", ErrCorrupt, offset, err)
		}
		for i, e := range list {
			if (e.Kind == headKind) != (first && i == 0) {
				return 0, fmt.Errorf("%w: record at byte %d is out of place", ErrCorrupt, offset)
			}
			if err := l.apply(e); errors.Is(err, ErrForeign) {
				return 0, err
			} else if err != nil {
				return 0, fmt.Errorf("%w: record at byte %d: %w", ErrCorrupt, offset, err)
			}
		}
		rest = next
	}
	if len(content) == headerLength {
		return 0, fmt.Errorf("%w: first record is missing", ErrCorrupt)
	}
	return int64(len(content)), nil
}

// soundFrameIn reports whether a sound frame starts behind the first byte of b. The search is cheap: a random marker
// occurs once a frame and hardly anywhere else.
func (l *Log) soundFrameIn(b []byte) bool {
	for at := 1; at < len(b); at++ {
		next := bytes.Index(b[at:], l.marker[:])
		if next < 0 {
			return false
		}
		at += next
		if _, _, ok := l.split(b[at:]); ok {
			return true
		}
	}
	return false
}

// apply takes an entry of the file into memory. The error names a contradiction to an earlier entry.
func (l *Log) apply(e entry) error {
	switch e.Kind {
	case headKind:
		l.floor = e.Sequence
		return l.checkOwner(e)
	case voteKind:
		r := Record{Code: e.Code, Sequence: e.Sequence, Round: e.Round, Digest: e.Digest, Payload: e.Data}
		if _, err := l.check(r); err != nil {
			return err
		}
		l.records[r.view()] = r
	case originKind:
		l.origin = &Origin{Since: e.Sequence, Lost: e.Round != 0}
	case lockKind:
		k := Lock{e.Sequence, e.Round, e.Data}
		if _, err := l.checkLock(k); err != nil {
			return err
		}
		l.locks[k.Sequence] = k
	default:
		return fmt.Errorf("unknown kind %d", e.Kind)
	}
	return nil
}

// checkOwner compares the first entry of a file with the owner that opens the file.
func (l *Log) checkOwner(e entry) error {
	switch {
	case len(e.Data) != common.AddressLength:
		return fmt.Errorf("address of %d bytes", len(e.Data))
	case l.anybody:
		l.owner = Owner{common.BytesToAddress(e.Data), e.Digest, e.Code}
		return nil
	case common.BytesToAddress(e.Data) != l.owner.Validator:
		return fmt.Errorf("%w: it holds what validator %v has signed, the node key is that of %v; start with the node "+
			"key that belongs to it, or move the file to where that key is", ErrForeign,
			common.BytesToAddress(e.Data), l.owner.Validator)
	case e.Digest != l.owner.Genesis:
		return fmt.Errorf("%w: it belongs to the network with genesis block %v, not %v: mend --datadir, or make a "+
			"new key for this network, because seals prove blocks of each network that has the key", ErrForeign, e.Digest,
			l.owner.Genesis)
	case e.Code != 0 && l.owner.ChainID != 0 && e.Code != l.owner.ChainID:
		return fmt.Errorf("%w: it belongs to the network with chain ID %d, not %d: mend --datadir, or make a new key",
			ErrForeign, e.Code, l.owner.ChainID)
	case l.owner.ChainID == 0:
		l.owner.ChainID = e.Code
	}
	return nil
}

func (l *Log) usable() error {
	if l.broken != nil {
		return fmt.Errorf("cannot be written any more: %w", l.broken)
	}
	return nil
}

// append writes entries behind the last frame and syncs them. After a failed write the file is cut back, so that the
// log recovers from a full disk. After a failed sync the content of the disk is unknown, and the log is broken.
func (l *Log) append(entries ...entry) error {
	if err := l.usable(); err != nil {
		return err
	}
	if err := l.rewriteIfHuge(); err != nil {
		return err
	}
	frame, err := l.marker.frame(nil, entries...)
	if err != nil {
		return err
	}
	if _, err := l.file.WriteAt(frame, l.size); err != nil {
		if undo := l.file.Truncate(l.size); undo != nil {
			l.broken = undo
		}
		return err
	}
	if err := l.file.Sync(); err != nil {
		l.broken = err
		return err
	}
	l.size += int64(len(frame))
	if l.carrying {
		l.carried = append(l.carried, entries)
	}
	return nil
}

// rewriteIfHuge bounds the file during a sequence that does not end, since Compact is called at the end of sequences. A
// Compact under way is not waited for. The error is nil as long as the log can be written.
func (l *Log) rewriteIfHuge() error {
	if l.size <= 2*l.limit || !l.replacing.TryLock() {
		return nil
	}
	defer l.replacing.Unlock()
	// Votes continue while the disk has space; the next Compact reports the error.
	if err := l.rewrite(); err != nil && l.broken != nil {
		return err
	} else if err != nil {
		l.limit = l.size
	}
	return nil
}

// needed returns the entries of a new file: all digests, and payloads of the newest round of each sequence. Other
// payloads are dropped from memory as well. The returned payloads are shared with l and never change.
func (l *Log) needed() (list []entry) {
	newest := make(map[uint64]uint64) // round by sequence
	for v := range l.records {
		newest[v.sequence] = max(newest[v.sequence], v.round)
	}
	list = append(list, l.headEntry())
	if l.origin != nil {
		list = append(list, originEntry(*l.origin))
	}
	for _, r := range slices.SortedFunc(maps.Values(l.records), byView) {
		if r.Round < newest[r.Sequence] {
			r.Payload = nil
			l.records[r.view()] = r // the memory is as bounded as the file
		}
		list = append(list, voteEntry(r))
	}
	for _, sequence := range slices.Sorted(maps.Keys(l.locks)) {
		list = append(list, lockEntry(l.locks[sequence]))
	}
	return list
}

// file returns a whole file of frames of one entry each.
func (m marker) file(entries []entry) (content []byte, err error) {
	content = append([]byte(magic), m[:]...)
	for _, e := range entries {
		if content, err = m.frame(content, e); err != nil {
			return nil, err
		}
	}
	return content, nil
}
