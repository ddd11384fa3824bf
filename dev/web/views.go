// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p"

	"gwon/dev/inspect"
	"gwon/internal/amounts"
	"gwon/internal/txobject"
	"gwon/operator/governance"
	"gwon/params"
)

// person is a well-known account as the page shows it.
type person struct {
	Address common.Address `json:"address"`
	Name    string         `json:"name"`
	Member  bool           `json:"member"`
}

func (s *Server) people() []person {
	list := make([]person, 0, len(s.o.Accounts))
	for _, a := range s.o.Accounts {
		list = append(list, person{crypto.PubkeyToAddress(a.Key.PublicKey), a.Name, a.Member})
	}
	return list
}

// status answers what does not change while the page is open.
func (s *Server) status(r *http.Request) (any, error) {
	var chainID hexutil.Big
	if err := s.call(r.Context(), &chainID, "eth_chainId"); err != nil {
		return nil, err
	}
	head, err := s.head(r.Context())
	if err != nil {
		return nil, err
	}
	names := s.o.Book.Names()
	return map[string]any{
		"chainId": chainID.ToInt().Uint64(), "network": s.o.Network, "node": s.o.Node, "version": s.o.Version, "head": head,
		"accounts": s.people(), "names": names, "contracts": s.o.Contracts, "period": s.o.Period.Seconds(),
		"coin": params.NativeCoinAdapterAddress, "canFund": s.o.Fund != nil, "rpc": s.o.RPC,
	}, nil
}

// downAfter is the number of blocks without a seal after which a validator counts as down.
const downAfter = 5

type validator struct {
	Address   common.Address  `json:"address"`
	Operator  *common.Address `json:"operator,omitempty"`
	Current   bool            `json:"current"` // in the set that seals
	Next      bool            `json:"next"`    // registered: in the next set, if it is up
	Seals     int             `json:"seals"`
	Possible  int             `json:"possible"` // blocks that it could have sealed
	Proposals int             `json:"proposals"`
	Down      bool            `json:"down"`
	History   []int           `json:"history"` // by block, the oldest first: 1 sealed, 0 missed, -1 not in charge
	Self      bool            `json:"self"`
}

// validators answers who sealed and proposed of late, the epoch, the next set and the peers.
func (s *Server) validators(r *http.Request) (any, error) {
	ctx := r.Context()
	head, err := s.head(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.recent(ctx, head, head, maxRows+1)
	if err != nil {
		return nil, err
	}
	// The newest block is left out: late seals over it come with the next one.
	list = slices.DeleteFunc(list, func(b *summary) bool { return b.Number == 0 || !b.Complete })
	slices.Reverse(list)
	all := newRoster(list)
	var (
		epoch struct {
			Number hexutil.Uint64 `json:"number"`
			Next   hexutil.Uint64 `json:"next"`
		}
		self     common.Address
		proposer common.Address
		current  []common.Address
		peers    []*p2p.PeerInfo
	)
	for _, question := range []struct {
		method string
		result any
		args   []any
	}{
		// The head may have moved since it was asked for. The epoch is that of the block that is shown.
		{"istanbul_epochInfo", &epoch, []any{hexutil.Uint64(head)}}, {"istanbul_nodeAddress", &self, nil},
		{"istanbul_nextProposer", &proposer, nil},
		{"istanbul_getValidators", &current, []any{"pending"}}, {"admin_peers", &peers, nil},
	} {
		if err := s.call(ctx, question.result, question.method, question.args...); err != nil {
			return nil, err
		}
	}
	for _, a := range current {
		all.of(a).Current = true
	}
	if err := s.addRegistered(ctx, all); err != nil {
		return nil, err
	}
	for _, v := range all.list {
		v.Self = v.Address == self
	}
	slices.SortStableFunc(all.list, func(x, y *validator) int {
		return cmp.Compare(slices.Index(current, x.Address)+1, slices.Index(current, y.Address)+1)
	})
	rounds := make([]uint64, 0, len(list))
	intervals := make([]uint64, 0, len(list))
	for _, b := range list {
		rounds, intervals = append(rounds, b.Round), append(intervals, b.Interval)
	}
	return map[string]any{
		"head": head, "blocks": len(list), "validators": all.list, "epoch": uint64(epoch.Number),
		"nextEpoch":    uint64(epoch.Next),
		"nextProposer": proposer, "quorum": quorum(len(current)), "peers": describePeers(peers), "rounds": rounds,
		"intervals": intervals,
	}, nil
}

// quorum is the number of seals that make a block final (spec wbft 2).
func quorum(n int) int { return n - (n-1)/3 }

// roster counts what validators did.
type roster struct {
	blocks int
	list   []*validator
}

func newRoster(blocks []*summary) *roster {
	all := &roster{blocks: len(blocks)}
	for n, b := range blocks {
		for i, a := range b.Validators {
			v := all.of(a)
			v.Possible++
			v.History[n] = 0
			if b.Sealed[i] {
				v.History[n] = 1
				v.Seals++
			}
			if a == b.Proposer {
				v.Proposals++
			}
		}
	}
	for _, v := range all.list {
		v.Down = isDown(v.History)
	}
	return all
}

func (r *roster) of(a common.Address) *validator {
	for _, v := range r.list {
		if v.Address == a {
			return v
		}
	}
	v := &validator{Address: a, History: make([]int, r.blocks)}
	for i := range v.History {
		v.History[i] = -1
	}
	r.list = append(r.list, v)
	return v
}

// isDown reports whether the last blocks that a validator could have sealed are all without its seal.
func isDown(history []int) bool {
	if len(history) < downAfter {
		return false
	}
	return !slices.ContainsFunc(history[len(history)-downAfter:], func(h int) bool { return h != 0 })
}

// addRegistered marks the validators of the contract, of which the next epoch's set is made.
func (s *Server) addRegistered(ctx context.Context, all *roster) error {
	chain, err := s.governance(ctx)
	if err != nil {
		return err
	}
	status, err := chain.Status(ctx, 1)
	if err != nil {
		return err
	}
	for _, v := range status.Validators {
		entry := all.of(v.Address)
		entry.Next, entry.Operator = true, &v.Operator
	}
	if len(status.Validators) == 0 { // contracts without code: the set stays
		for _, v := range all.list {
			v.Next = v.Current
		}
	}
	return nil
}

func (s *Server) governance(ctx context.Context) (*governance.Chain, error) {
	return governance.Attach(ctx, s.o.Client, "the node", governance.DefaultAddresses())
}

type peer struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Inbound bool   `json:"inbound"`
}

func describePeers(peers []*p2p.PeerInfo) []peer {
	list := make([]peer, 0, len(peers))
	for _, p := range peers {
		list = append(list, peer{p.Name, p.Network.RemoteAddress, p.Network.Inbound})
	}
	return list
}

// transfersBack is the number of blocks in which transfers of an account are looked for.
const transfersBack = 10_000

type movement struct {
	Block       uint64         `json:"block"`
	Transaction common.Hash    `json:"transaction"`
	From        common.Address `json:"from"`
	To          common.Address `json:"to"`
	Amount      inspect.Amount `json:"amount"`
	index       uint
}

// account answers balance, flags, code and transfers of an account.
func (s *Server) account(r *http.Request) (any, error) {
	ctx := r.Context()
	address, err := parseAddress(r.PathValue("address"))
	if err != nil {
		return nil, err
	}
	var (
		balance hexutil.Big
		nonce   hexutil.Uint64
		waiting hexutil.Uint64
		code    hexutil.Bytes
		flags   struct {
			Blacklisted bool `json:"blacklisted"`
			Authorized  bool `json:"authorized"`
		}
	)
	for _, question := range []struct {
		method string
		result any
		args   []any
	}{
		{"eth_getBalance", &balance, []any{address, "latest"}}, {"eth_getTransactionCount", &nonce, []any{address, "latest"}},
		{"eth_getTransactionCount", &waiting, []any{address, "pending"}}, {"eth_getCode", &code, []any{address, "latest"}},
		{"istanbul_accountFlags", &flags, []any{address}},
	} {
		if err := s.call(ctx, question.result, question.method, question.args...); err != nil {
			return nil, err
		}
	}
	head, err := s.head(ctx)
	if err != nil {
		return nil, err
	}
	from := max(head, transfersBack) - transfersBack
	transfers, more, err := s.transfers(ctx, address, from, head)
	if err != nil {
		return nil, err
	}
	sent, searched, searching, err := s.transactionsOf(ctx, address)
	if err != nil {
		return nil, err
	}
	name, contract := s.o.Book.NameOf(address), ""
	if known := s.interfaceAt(address, code); known != nil {
		contract = known.Name
	}
	return map[string]any{
		"address": address, "name": name, "contract": contract, "balance": inspect.NewAmount(balance.ToInt()),
		"nonce":   uint64(nonce),
		"waiting": uint64(waiting - min(nonce, waiting)), "codeSize": len(code), "codeHash": crypto.Keccak256Hash(code),
		"blacklisted": flags.Blacklisted, "authorized": flags.Authorized, "transfers": transfers, "more": more, "since": from,
		"transactions": sent, "searched": searched, "searching": searching,
	}, nil
}

func parseAddress(text string) (common.Address, error) {
	address, err := txobject.ParseAddress(text)
	if err != nil {
		return address, badRequest("%v", err)
	}
	return address, nil
}

// transfers returns the newest transfers from and to an account, the newest first, and whether there are more.
func (s *Server) transfers(
	ctx context.Context,
	a common.Address,
	from, to uint64,
) (list []movement, more bool, err error) {
	topic := common.BytesToHash(a[:])
	seen := make(map[string]bool)
	for _, topics := range [][]any{{inspect.TransferTopic, topic}, {inspect.TransferTopic, nil, topic}} {
		var logs []types.Log
		filter := map[string]any{
			"fromBlock": hexutil.Uint64(from), "toBlock": hexutil.Uint64(to), "address": params.NativeCoinAdapterAddress,
			"topics": topics,
		}
		if err := s.call(ctx, &logs, "eth_getLogs", filter); err != nil {
			return nil, false, err
		}
		for _, l := range logs {
			key := fmt.Sprint(l.BlockNumber, "/", l.Index)
			if seen[key] || len(l.Topics) != 3 {
				continue
			}
			seen[key] = true
			list = append(list, movement{
				l.BlockNumber, l.TxHash, common.BytesToAddress(l.Topics[1][:]), common.BytesToAddress(l.Topics[2][:]),
				inspect.NewAmount(new(big.Int).SetBytes(l.Data)), l.Index,
			})
		}
	}
	slices.SortFunc(list, func(x, y movement) int {
		return cmp.Or(cmp.Compare(y.Block, x.Block), cmp.Compare(y.index, x.index))
	})
	if len(list) > maxRows {
		return list[:maxRows], true, nil
	}
	if list == nil {
		list = []movement{}
	}
	return list, false, nil
}

// waitingTransaction is a transaction of the pool.
type waitingTransaction struct {
	Hash     common.Hash     `json:"hash"`
	Nonce    uint64          `json:"nonce"`
	To       *common.Address `json:"to"`
	Value    inspect.Amount  `json:"value"`
	Payer    common.Address  `json:"feePayer"`
	MostFee  inspect.Amount  `json:"mostFee"`
	Queued   bool            `json:"queued"` // behind a missing nonce
	Fee      *big.Int        `json:"-"`
	Selector string          `json:"selector,omitempty"`
}

type sender struct {
	Address      common.Address       `json:"address"`
	Transactions []waitingTransaction `json:"transactions"`
	More         int                  `json:"more"`
}

type payer struct {
	Address common.Address `json:"address"`
	Count   int            `json:"count"`
	Most    inspect.Amount `json:"most"`
	Balance inspect.Amount `json:"balance"`
	Short   bool           `json:"short"` // the balance does not cover the fees
	most    *big.Int
}

// pool answers the transactions that wait, by sender, and what each payer of fees may have to pay.
func (s *Server) pool(r *http.Request) (any, error) {
	ctx := r.Context()
	var content map[string]map[common.Address]map[string]inspect.Shown
	if err := s.call(ctx, &content, "txpool_content"); err != nil {
		return nil, err
	}
	bySender := make(map[common.Address][]waitingTransaction)
	payers := make(map[common.Address]*payer)
	counts := map[string]int{"pending": 0, "queued": 0}
	for kind, senders := range content {
		for address, txs := range senders {
			for _, tx := range txs {
				counts[kind]++
				w := describeWaiting(address, tx, kind == "queued")
				bySender[address] = append(bySender[address], w)
				if w.Payer == address {
					continue
				}
				p := payers[w.Payer]
				if p == nil {
					p = &payer{Address: w.Payer, most: new(big.Int)}
					payers[w.Payer] = p
				}
				p.Count++
				p.most.Add(p.most, w.Fee)
			}
		}
	}
	senders := make([]sender, 0, len(bySender))
	for address, txs := range bySender {
		slices.SortFunc(txs, func(x, y waitingTransaction) int { return cmp.Compare(x.Nonce, y.Nonce) })
		shown := txs[:min(len(txs), maxRows)]
		senders = append(senders, sender{address, shown, len(txs) - len(shown)})
	}
	slices.SortFunc(senders, func(x, y sender) int {
		return cmp.Or(cmp.Compare(len(y.Transactions), len(x.Transactions)), x.Address.Cmp(y.Address))
	})
	more := max(0, len(senders)-maxRows)
	list := slices.SortedFunc(maps.Values(payers),
		func(x, y *payer) int { return cmp.Or(y.most.Cmp(x.most), x.Address.Cmp(y.Address)) })
	list = list[:min(len(list), maxRows)]
	for _, p := range list {
		var balance hexutil.Big
		if err := s.call(ctx, &balance, "eth_getBalance", p.Address, "latest"); err != nil {
			return nil, err
		}
		p.Most, p.Balance = inspect.NewAmount(p.most), inspect.NewAmount(balance.ToInt())
		p.Short = balance.ToInt().Cmp(p.most) < 0
	}
	return map[string]any{
		"pending": counts["pending"], "queued": counts["queued"], "senders": senders[:len(senders)-more], "moreSenders": more,
		"payers": list,
	}, nil
}

func describeWaiting(from common.Address, tx inspect.Shown, queued bool) waitingTransaction {
	price := tx.GasPrice
	if tx.FeeCap != nil {
		price = tx.FeeCap
	}
	fee := new(big.Int)
	if price != nil {
		fee.Mul(price.ToInt(), new(big.Int).SetUint64(uint64(tx.Gas)))
	}
	w := waitingTransaction{
		Hash: tx.Hash, Nonce: uint64(tx.Nonce), To: tx.To, Payer: from, MostFee: inspect.NewAmount(fee), Fee: fee,
		Queued: queued,
		Value:  inspect.NewAmount((*big.Int)(tx.Value)),
	}
	if tx.FeePayer != nil {
		w.Payer = *tx.FeePayer
	}
	if len(tx.Input) >= 4 {
		w.Selector = hexutil.Encode(tx.Input[:4])
	}
	return w
}

// proposals answers the newest proposals with their votes.
func (s *Server) proposals(r *http.Request) (any, error) {
	const most = 10 // of each contract
	chain, err := s.governance(r.Context())
	if err != nil {
		return nil, err
	}
	list, _, err := chain.Proposals(r.Context(), governance.Governances, true, most)
	if err != nil {
		return nil, err
	}
	full := make([]*governance.Proposal, 0, len(list))
	for _, p := range list {
		whole, err := chain.Proposal(r.Context(), p.ID)
		if err != nil {
			return nil, err
		}
		full = append(full, whole)
	}
	slices.SortStableFunc(full, func(x, y *governance.Proposal) int { return cmp.Compare(y.CreatedAt, x.CreatedAt) })
	return map[string]any{"proposals": full}, nil
}

// live sends each new block as a server-sent event, with the size of the pool, until the browser goes or the node ends.
func (s *Server) live(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		http.Error(w, "too many pages are open: close one", http.StatusServiceUnavailable)
		return
	}
	control := http.NewResponseController(w)
	ending := s.endOf(r)
	heads := make(chan *types.Header, 64)
	subscription, err := s.o.Client.EthSubscribe(r.Context(), heads, "newHeads")
	if err != nil {
		reply(w, nil, err)
		return
	}
	defer subscription.Unsubscribe()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(number uint64) bool {
		text, err := s.event(r.Context(), number)
		if err != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, "retry: 500\ndata: %s\n\n", text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	number, err := s.head(r.Context())
	if err != nil || !send(number) {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case <-ending:
			return
		case err := <-subscription.Err():
			log.Debug("Live view ended", "err", err)
			return
		case head := <-heads:
			if !send(head.Number.Uint64()) {
				return
			}
		}
	}
}

// endOf returns a channel that is closed when the HTTP server of a request shuts down: it waits for live connections.
func (s *Server) endOf(r *http.Request) <-chan struct{} {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok {
		return nil
	}
	end := make(chan struct{})
	if known, loaded := s.ending.LoadOrStore(server, end); loaded {
		end, ok = known.(chan struct{})
		if !ok {
			return nil
		}
		return end
	}
	server.RegisterOnShutdown(func() { close(end) })
	return end
}

// parseNumber reads a number of a form: decimal, hexadecimal, or an amount with its unit.
func parseNumber(text string) (*big.Int, error) {
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if n, ok := new(big.Int).SetString(strings.ToLower(text), 0); ok && n.BitLen() <= 256 {
		return n, nil
	}
	return amounts.Parse(text, amounts.Wei)
}
