// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package recording

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"gwon/internal/must"
)

// segmentOf returns a recording of some blocks.
func segmentOf(t testing.TB) []byte {
	t.Helper()
	recorder, dir := newRing(t, MinSize, 0)
	c := newChain(t, recorder)
	c.decide(2)
	c.flood(2, 100)
	c.tape.End()
	files := must.Get(Files(dir))(t)
	return must.Get(os.ReadFile(files[0]))(t)
}

// playedOf replays the bytes of a segment.
func playedOf(content []byte) (calls uint64, err error) {
	s, err := NewSegment(bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	return s.Replay(nil)
}

// A segment that is cut at any byte replays up to there, and says that it is torn.
func TestTornSegment(t *testing.T) {
	content := segmentOf(t)
	whole := must.Get(playedOf(content))(t)
	ends := 0
	for n := len(content) - 1; n >= len(magic); n -= 7 {
		calls, err := playedOf(content[:n])
		switch {
		case err == nil:
			ends++ // between two records
		case !errors.Is(err, ErrTorn):
			t.Fatalf("cut at byte %d of %d: %v", n, len(content), err)
		}
		must.That(t, calls < whole, "cut at byte %d: %d calls of %d", n, calls, whole)
	}
	t.Logf("%d calls", whole)
}

// What is wrong with a recording is said in a sentence.
func TestUnusableSegments(t *testing.T) {
	content := segmentOf(t)
	other := append([]byte(magicPrefix+"2"), content[len(magic):]...)
	flipped := bytes.Clone(content)
	flipped[len(flipped)/2] ^= 1
	for name, row := range map[string]struct {
		content []byte
		want    error
		text    string
	}{
		"empty":           {nil, ErrNoRecording, "no recording of gwon"},
		"another file":    {[]byte("something else, and long enough"), ErrNoRecording, "no recording of gwon"},
		"another version": {other, ErrVersion, `it has format "2", this program reads "1"`},
		"damaged":         {flipped, ErrDamaged, "a wrong checksum after byte"},
		"no header":       {[]byte(magic), ErrTorn, "as after a kill"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := playedOf(row.content)
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) {
				t.Errorf("error %v, want %q", err, row.text)
			}
		})
	}
}

// FuzzSegment replays any bytes. The checksums of its frames are made right, so that the decoders behind them are
// reached.
func FuzzSegment(f *testing.F) {
	content := segmentOf(f)
	f.Add(content)
	f.Add(content[:len(content)/2])
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 1<<20 {
			return
		}
		calls := 0
		s, err := NewSegment(bytes.NewReader(rechecked(content)))
		if err != nil {
			return
		}
		_, _ = s.Replay(func(*Played) error {
			if calls++; calls > 100 {
				return errors.New("enough")
			}
			return nil
		})
	})
}

// rechecked returns a segment with right checksums.
func rechecked(content []byte) []byte {
	if len(content) < len(magic) {
		return content
	}
	out := append([]byte(nil), magic...)
	for rest := content[len(magic):]; len(rest) > frameHead; {
		n := min(int(rest[0])<<24|int(rest[1])<<16|int(rest[2])<<8|int(rest[3]), len(rest)-frameHead)
		out = appendFrame(out, rest[frameHead:frameHead+n])
		rest = rest[frameHead+n:]
	}
	return out
}
