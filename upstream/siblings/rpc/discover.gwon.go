// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"sync/atomic"
)

// DiscoverMethod describes the endpoint that is asked (EIP-1901). The dot is that of its specification.
const DiscoverMethod = "rpc.discover"

// discoverCallback is the name under which upstream, which splits names at "_", has DiscoverMethod.
const discoverCallback = MetadataApi + serviceMethodSeparator + "discover"

// Method is a method of a server.
type Method struct {
	Name     string
	Params   []reflect.Type
	Result   reflect.Type // nil for a method without one
	Receiver any          // the service that has it
}

// Methods returns the methods of a server by name, and its kinds of subscriptions by namespace.
func (s *Server) Methods() (methods []Method, kinds map[string][]string) {
	s.services.mu.Lock()
	defer s.services.mu.Unlock()
	kinds = make(map[string][]string)
	for namespace, svc := range s.services.services {
		for name, cb := range svc.callbacks {
			m := Method{
				Name: namespace + serviceMethodSeparator + name, Params: slices.Clone(cb.argTypes), Receiver: cb.rcvr.Interface(),
			}
			if m.Name == discoverCallback {
				m.Name = DiscoverMethod
			}
			if out := cb.fn.Type(); out.NumOut() > 0 && cb.errPos != 0 {
				m.Result = out.Out(0)
			}
			methods = append(methods, m)
		}
		for name := range svc.subscriptions {
			kinds[namespace] = append(kinds[namespace], name)
		}
		slices.Sort(kinds[namespace])
	}
	slices.SortFunc(methods, func(a, b Method) int { return cmp.Compare(a.Name, b.Name) })
	return methods, kinds
}

// Describer returns the answer of DiscoverMethod for the call of ctx. methods and kinds are those of the server.
type Describer func(ctx context.Context, methods []Method, kinds map[string][]string) (any, error)

// describer is that of the process: upstream's servers are made where no option of gwon is in reach.
var describer atomic.Pointer[Describer]

// SetDescriber sets what answers DiscoverMethod on all servers of the process, nil for nothing.
func SetDescriber(d Describer) { describer.Store(&d) }

// Discover answers DiscoverMethod. Without a describer the method is an unknown one.
func (s *RPCService) Discover(ctx context.Context) (any, error) {
	d := describer.Load()
	if d == nil || *d == nil {
		return nil, &methodNotFoundError{method: DiscoverMethod}
	}
	methods, kinds := s.server.Methods()
	return (*d)(ctx, methods, kinds)
}
