// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// For any shares that come, grow, shrink and go, no bound is exceeded, the counts are those of the shares, and a share
// leaves only for an owner that has less than its own.
func TestAccountProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bound := Bound{Own: rapid.IntRange(1, 20).Draw(rt, "own"), Sum: rapid.IntRange(1, 60).Draw(rt, "sum")}
		a := NewAccount(bound)
		type held struct {
			*Share
			n    int
			gone bool
		}
		var shares []*held
		owners := []Owner{{"a"}, {"b"}, {"c"}, {"d 64", "d 56", "d 48"}, {"e 64", "d 56", "d 48"}, {"f 64", "f 56", "d 48"}}
		has := func(owner Owner) (n int) {
			for _, s := range shares {
				if !s.gone && s.owner[0] == owner[0] {
					n += s.n
				}
			}
			return n
		}
		rt.Repeat(map[string]func(*rapid.T){
			"make": func(rt *rapid.T) {
				s := new(held)
				s.Share = a.Share(rapid.SampledFrom(owners).Draw(rt, "owner"), func() { s.gone = true })
				shares = append(shares, s)
			},
			"add": func(rt *rapid.T) {
				if len(shares) == 0 {
					rt.Skip()
				}
				s, n := rapid.SampledFrom(shares).Draw(rt, "share"), rapid.IntRange(1, 25).Draw(rt, "n")
				before, owned := make(map[*held]int), make(map[string]int)
				for _, other := range shares {
					if !other.gone {
						before[other] = other.n
					}
				}
				for _, owner := range owners {
					owned[owner[0]] = has(owner)
				}
				wasGone := s.gone
				err := s.Add(n)
				if err == nil {
					s.n += n
				} else if wasGone && !errors.Is(err, ErrDisplaced) {
					rt.Errorf("a displaced share fails with %v", err)
				}
				for other := range before {
					if len(other.owner) > 1 || len(s.owner) > 1 {
						continue // which have wider names
					}
					if other.gone && owned[other.owner[0]] <= owned[s.owner[0]]+n {
						rt.Errorf("%s, which had %d, has left for %s, which would have %d", other.owner[0],
							owned[other.owner[0]], s.owner[0], owned[s.owner[0]]+n)
					}
				}
			},
			"shrink": func(rt *rapid.T) {
				for _, s := range shares {
					if !s.gone && s.n > 0 {
						expect.Error(rt, s.Add(-s.n), nil, "less")
						s.n = 0
						return
					}
				}
			},
			"release": func(rt *rapid.T) {
				if len(shares) == 0 {
					rt.Skip()
				}
				s := rapid.SampledFrom(shares).Draw(rt, "share")
				s.Release()
				s.gone = true
			},
			"": func(rt *rapid.T) {
				all, wide := 0, 0
				for _, owner := range owners {
					n := has(owner)
					all += n
					expect.That(rt, n <= bound.Own, "%v has %d, its bound is %d", owner, n, bound.Own)
					if len(owner) > 1 {
						wide += n
					}
				}
				most := boundOf(2, bound.Own, bound.Sum)
				expect.That(rt, wide <= most, "the wide network has %d, its bound is %d", wide, most)
				if counted, _ := a.Taken(); counted != all || all > bound.Sum {
					rt.Errorf("%d are counted of %d, the bound is %d", counted, all, bound.Sum)
				}
			},
		})
	})
}

// A network has a bound for all its owners.
func TestWiderNamesAreBounded(t *testing.T) {
	const own, sum = 10, 1000
	a := NewAccount(Bound{Own: own, Sum: sum})
	for n := range boundOf(1, own, sum) {
		must.Do(t, a.Share(Owner{fmt.Sprint(n), "network"}, func() {}).Add(1))
	}
	expect.Refused(t, a.Share(Owner{"another", "network"}, func() {}).Add(1), "the network has more than its bound")
}

// No share leaves for an owner that would have as much.
func TestEqualOwnersKeepTheirShares(t *testing.T) {
	a, gone := NewAccount(Bound{Own: 10, Sum: 10}), ""
	for _, name := range []string{"a", "b"} {
		must.Do(t, a.Share(Owner{name}, func() { gone += name }).Add(5))
	}
	err := a.Share(Owner{"c"}, func() {}).Add(5)
	expect.That(t, errors.Is(err, ErrDisplaced) && gone == "", "as much: error %v, %q left", err, gone)
	err = a.Share(Owner{"c"}, func() {}).Add(4)
	expect.That(t, err == nil && len(gone) == 1, "less: error %v, %q left", err, gone)
}

// What should move leaves first where it does not, also for an owner that has more.
func TestSlowSharesLeaveFirst(t *testing.T) {
	for _, row := range []struct {
		moves bool
		gone  string
		fails bool
	}{{true, "slow", false}, {false, "", true}} {
		t.Run(fmt.Sprintf("moves %v", row.moves), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, gone := NewAccount(Bound{Own: 100, Sum: 100, Moves: row.moves}), ""
				slow := a.Share(Owner{"a"}, func() { gone = "slow" })
				must.Do(t, slow.Add(50))
				time.Sleep(slowAfter)
				quick := a.Share(Owner{"b"}, func() { gone = "quick" })
				must.Do(t, quick.Add(20))
				err := a.Share(Owner{"c"}, func() {}).Add(60)
				expect.That(t, (err != nil) == row.fails && gone == row.gone, "left %q, error %v", gone, err)
			})
		})
	}
}
