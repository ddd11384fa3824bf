// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// bench runs callers of a queue, and records the order in which they begin.
type bench struct {
	*Queue[string]
	t *testing.T

	mu    sync.Mutex
	order []string
	all   int
	most  int // of all at the same time
	of    map[string]int
}

func newBench(t *testing.T, places Places) *bench {
	return &bench{Queue: NewQueue[string](places), t: t, of: make(map[string]int)}
}

// call has a place for a time. The name of a caller is its owner's narrowest one.
func (b *bench) call(work time.Duration, owner ...string) error {
	end, err := b.Take(b.t.Context(), owner...)
	if err != nil {
		return err
	}
	wide := owner[len(owner)-1]
	b.mu.Lock()
	b.order = append(b.order, owner[0])
	b.all++
	b.of[wide]++
	b.most = max(b.most, b.all)
	if b.of[wide] > b.places.PerOwner {
		b.t.Errorf("%s has %d places, its share is %d", wide, b.of[wide], b.places.PerOwner)
	}
	b.mu.Unlock()
	time.Sleep(work)
	b.mu.Lock()
	b.all--
	b.of[wide]--
	b.mu.Unlock()
	end()
	return nil
}

// No more callers work than there are places, and no more of an owner than its share.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Places{All: 4, PerOwner: 2, Waiting: 100})
		for i := range 30 {
			go b.call(time.Second, fmt.Sprint(i%3)) //nolint:errcheck // judged by the order
		}
		time.Sleep(time.Minute)
		expect.That(t, len(b.order) == 30 && b.most == 4 && b.Len() == 0,
			"%d callers had a place, %d at the same time, %d are left; want 30, 4 and 0", len(b.order), b.most, b.Len())
	})
}

// Owners take turns, whatever each has waiting: between wide networks, within one between the narrower ones, and in the
// order of arrival within the narrowest.
func TestTurnsOfOwners(t *testing.T) {
	for _, row := range []struct {
		name, want string
		come       [][]string
	}{
		{"two", "a b a b a a", [][]string{{"a"}, {"a"}, {"a"}, {"a"}, {"b"}, {"b"}}},
		{"a site with many networks", "1 b 2 b 3", [][]string{{"1", "s"}, {"2", "s"}, {"3", "s"}, {"b"}, {"b"}}},
		{"networks of a site", "1 2 1 1", [][]string{{"1", "s"}, {"1", "s"}, {"1", "s"}, {"2", "s"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, Places{All: 1, PerOwner: 1, Waiting: 100})
				go b.call(time.Second, "first") //nolint:errcheck // judged by the order
				synctest.Wait()
				for _, owner := range row.come {
					go b.call(time.Second, owner...) //nolint:errcheck // judged by the order
					synctest.Wait()
				}
				time.Sleep(time.Minute)
				expect.Equal(t, strings.Join(b.order[1:], " "), row.want, "order")
			})
		})
	}
}

// Beyond the bound the newest caller of the owner with most of them leaves, also when it is not the one that comes.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Places{All: 1, PerOwner: 1, Waiting: 3})
		errs := make(chan string, 10)
		come := func(id string, owner string) {
			go func() {
				if err := b.call(time.Second, owner); errors.Is(err, ErrDisplaced) {
					errs <- id
				}
			}()
			synctest.Wait()
		}
		for _, id := range []string{"running", "a1", "a2", "a3"} {
			come(id, "a")
		}
		come("b1", "b")
		come("a4", "a")
		time.Sleep(time.Minute)
		close(errs)
		var gone []string
		for id := range errs {
			gone = append(gone, id)
		}
		expect.That(t, fmt.Sprint(gone) == "[a3 a4]" && fmt.Sprint(b.order) == "[a a b a]",
			"%v have left, order %v", gone, b.order)
	})
}

// Of owners with as many callers each, the one that has had most places leaves, and one that comes back does not
// displace another that has had fewer.
func TestLeastAttainedService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, gone := newBench(t, Places{All: 1, PerOwner: 1, Waiting: 2}), make(chan string, 10)
		come := func(owner string) {
			go func() {
				if err := b.call(time.Second, owner); errors.Is(err, ErrDisplaced) {
					gone <- owner
				}
			}()
			synctest.Wait()
		}
		for range 2 { // b has waited for two places, a for one
			come("b")
		}
		come("a")
		time.Sleep(1500 * time.Millisecond)
		come("b")
		for _, owner := range []string{"c", "b", "d"} {
			come(owner)
		}
		time.Sleep(time.Minute)
		close(gone)
		var left []string
		for owner := range gone {
			left = append(left, owner)
		}
		expect.Equal(t, fmt.Sprint(left), "[b b d]", "%v have left, order %v", left, b.order)
	})
}

// Owners whose calls are short have as much time as those whose calls are long, also beside networks of a site.
func TestOwnersHaveEqualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Places{All: 1, PerOwner: 1, Waiting: 1000, Quantum: 20 * time.Millisecond})
		for range 100 {
			go b.call(20*time.Millisecond, "long")             //nolint:errcheck // judged by the order
			go b.call(20*time.Millisecond, "longer", "site")   //nolint:errcheck // judged by the order
			go b.call(2*time.Millisecond, "short")             //nolint:errcheck // judged by the order
			go b.call(2*time.Millisecond, "shorter", "a site") //nolint:errcheck // judged by the order
		}
		time.Sleep(700 * time.Millisecond) // before the short ones are done
		counts := make(map[string]int)
		b.mu.Lock()
		for _, owner := range b.order {
			counts[owner]++
		}
		b.mu.Unlock()
		for _, row := range [][2]string{{"long", "short"}, {"longer", "shorter"}} {
			slow, quick := counts[row[0]], counts[row[1]]
			expect.That(t, quick >= 8*slow && quick >= 70, "%d calls of %s and %d of %s", slow, row[0], quick, row[1])
		}
		time.Sleep(time.Minute)
	})
}

// A caller whose context ends leaves, and its place goes to another.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Places{All: 1, PerOwner: 1, Waiting: 10})
		go b.call(time.Second, "a") //nolint:errcheck // judged by the order
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		expect.Error(t, expect.Err(b.Take(ctx, "b")), context.DeadlineExceeded, "b.Take")
		err := b.call(0, "c")
		expect.That(t, err == nil && b.Len() == 0, "error %v, %d callers are left", err, b.Len())
	})
}

// Names without callers are forgotten when a caller waits, and when there are too many.
func TestNamesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue[int](Places{All: 1, PerOwner: 1, Waiting: 10})
		for owner := range 2 * maxNames {
			must.Get(q.Take(t.Context(), owner))(t)()
			must.That(t, len(q.names) <= maxNames, "%d names after %d", len(q.names), owner)
		}
		end := must.Get(q.Take(t.Context(), 1))(t)
		go q.Take(t.Context(), 2) //nolint:errcheck // waits
		synctest.Wait()
		expect.Equal(t, len(q.names), 2, "names while a caller waits")
		end()
	})
}

// Each name of locks has one place, and does not wait for others.
func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewLocks[int]()
		end := must.Get(q.Take(t.Context(), 1))(t)
		other := must.Get(q.Take(t.Context(), 2))(t)
		other()
		got := make(chan struct{})
		go func() {
			again, err := q.Take(t.Context(), 1)
			expect.Error(t, err, nil, "error")
			close(got)
			again()
		}()
		synctest.Wait()
		select {
		case <-got:
			t.Error("two callers have one lock")
		default:
		}
		end()
		<-got
	})
}
