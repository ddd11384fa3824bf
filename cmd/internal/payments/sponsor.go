// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package payments

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/dial"
	"gwon/internal/door"
	"gwon/internal/hdkey"
	"gwon/internal/txobject"
	"gwon/pay/sponsor"
	"gwon/pay/txsign"
)

// SponsorStartTimeout is the time that a sponsor has to find its node and its budgets.
const SponsorStartTimeout = time.Minute

// nodeInterval is the time between two tries to reach a node that is not there yet.
const nodeInterval = time.Second

// releaseTimeout bounds gwon-pay sponsor release, which reads the blocks since the sponsor was stopped.
const releaseTimeout = time.Hour

// withdrawalTimeout bounds the wait of gwon-pay sponsor payers --to for the blocks of what it has submitted.
const withdrawalTimeout = 20 * time.Second

var sponsorConfigFlag = &cli.PathFlag{Name: "config", Usage: "Configuration and policies", Value: "sponsor.toml"}

var releaseStaleFlag = &cli.BoolFlag{Name: "stale", Usage: "No effect: it is what the command does"}

var payersToFlag = &cli.StringFlag{Name: "to", Usage: "Account that gets the coins of all payers"}

// SponsorCommand pays the fees of other accounts' transactions.
var SponsorCommand = &cli.Command{
	Name:  "sponsor",
	Usage: "Pay the fees of other accounts' transactions, by a policy",
	Description: "Serves a JSON-RPC endpoint in front of a node. What wallets and applications submit there is " +
		"paid by the fee payer of the configuration where its policy allows it. SIGHUP reads the policies again; a " +
		"broken file leaves the old ones in force. docs/develop/sponsor.md describes the file, the budgets and the " +
		"risks.",
	Flags:  []cli.Flag{sponsorConfigFlag},
	Action: runSponsor,
	Subcommands: []*cli.Command{
		{
			Name:      "check",
			Usage:     "Explain what each policy says of a signed transaction",
			ArgsUsage: "FILE TRANSACTION",
			Description: "FILE is the configuration. TRANSACTION is what gwon-dev tx sign has printed, or a file with it. " +
				"Budgets and the state of the chain are not judged: the running sponsor alone knows them. The exit status " +
				"is 1 when no policy allows the transaction.",
			Flags:  []cli.Flag{program.JSONFlag},
			Action: sponsorCheck,
		},
		{
			Name:  "release",
			Usage: "End reservations of a stopped sponsor that the chain has decided about",
			Description: "Brings the books to the node's head: what blocks have decided is settled or released to the wei, " +
				"and the rest is listed. Each start of the sponsor does so, too. A running one ends what no block takes by " +
				"moving the coins of its payers.",
			Flags:  []cli.Flag{sponsorConfigFlag, releaseStaleFlag, program.JSONFlag},
			Action: sponsorRelease,
		},
		{
			Name:      "seed",
			Usage:     "Make a seed of fee payers in a new file, and print where to send coins",
			ArgsUsage: "FILE",
			Description: "FILE gets a phrase of 24 words, which wallets take too: the payers are m/44'/60'/i'/0/n, " +
				"and their accounts of deposits m/44'/60'/i'/1/0. " +
				"Keep a copy on paper: the phrase is all that is needed to get at the coins.",
			Action: sponsorSeed,
		},
		{
			Name:  "payers",
			Usage: "List the fee payers of a stopped sponsor, or take their coins back",
			Description: "Lists the accounts that pay and those that have paid before, with the paths of their keys. --to " +
				"sends the coins of each to an account, and waits 20 s for their blocks. Reserved transactions that blocks " +
				"still take are paid first. The exit status is 1 when a block has failed one.",
			Flags:  []cli.Flag{sponsorConfigFlag, payersToFlag, program.JSONFlag},
			Action: sponsorPayers,
		},
		{
			Name: "key", Usage: "Make an API key, and print the hash for the configuration",
			Action: sponsorKey,
		},
	},
}

func runSponsor(ctx *cli.Context) (err error) {
	path := program.ExpandHome(ctx.Path(sponsorConfigFlag.Name))
	config, err := sponsor.LoadConfig(path)
	if err != nil {
		return err
	}
	until, stop := signal.NotifyContext(ctx.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	starting, cancel := context.WithTimeout(until, SponsorStartTimeout)
	defer cancel()
	if err := awaitNode(starting, config.Node, nodeInterval); err != nil {
		return err
	}
	s, err := sponsor.New(starting, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	running, err := ServeSponsor(s, config)
	if err != nil {
		return err
	}
	log.Info("Sponsor started", "url", running.URL(), "node", dial.Shown(config.Node), "keys", len(config.Keys))
	for payer, deposit := range s.Deposits() {
		log.Info("Fee payer ready, send coins to its account of deposits", "payer", payer, "deposit", deposit)
	}
	log.Info("Callers are named to the node in X-Forwarded-For: name this sponsor in its --rpc.trustedproxies")
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-hangup:
			reloadSponsor(s, path)
		case err := <-running.failed:
			return errors.Join(err, running.Close())
		case err := <-s.Ended():
			return errors.Join(err, running.Close())
		case <-until.Done():
			log.Info("Sponsor stopped")
			return running.Close()
		}
	}
}

// awaitNode waits until the node answers, which may start after the sponsor. The error is that of the last try.
func awaitNode(ctx context.Context, endpoint string, interval time.Duration) error {
	try := func() error {
		node, err := dial.Node(ctx, endpoint)
		if err != nil {
			return err
		}
		defer node.Close()
		var id hexutil.Uint64
		return dial.Ask(ctx, node, &id, "eth_chainId")
	}
	for waiting := false; ; waiting = true {
		err := try()
		if err == nil {
			return nil
		}
		if !waiting {
			log.Warn("Node not reached, waiting for it", "node", dial.Shown(endpoint), "err", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no node at %s: start it, or correct node in the configuration: %w", dial.Shown(endpoint), err)
		case <-time.After(interval):
		}
	}
}

// reloadSponsor takes new policies. A broken file changes nothing.
func reloadSponsor(s *sponsor.Sponsor, path string) {
	config, err := sponsor.LoadConfig(path)
	if err == nil {
		err = s.Reload(config)
	}
	if err != nil {
		log.Error("Policies not reloaded", "err", err)
		return
	}
	log.Info("Policies reloaded", "file", path, "keys", len(config.Keys))
}

// sponsorServers are the listeners of a sponsor.
type sponsorServers struct {
	address net.Addr
	servers []*http.Server
	failed  chan error
}

// endpoint is where a sponsor listens, with what bounds its connections.
type endpoint struct {
	key, address string
	server       *http.Server
	bound        func(net.Listener) net.Listener
}

// ServeSponsor listens for applications, and for the operator where the configuration says so. Applications cannot take
// the connections of the operator, or the files that the books need.
func ServeSponsor(s *sponsor.Sponsor, config *sponsor.Config) (*sponsorServers, error) {
	return serveAll(
		endpoint{"listen", config.Listen, s.Server(), door.ForClients},
		endpoint{"metrics", config.Metrics, s.MetricsServer(), door.ForOperator},
	)
}

// serveAll listens at all endpoints that have an address.
func serveAll(endpoints ...endpoint) (*sponsorServers, error) {
	running := &sponsorServers{failed: make(chan error, len(endpoints))}
	for _, e := range endpoints {
		if e.address == "" {
			continue
		}
		listener, err := net.Listen("tcp", e.address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w: name a free address", e.key, err), running.Close())
		}
		if running.address == nil {
			running.address = listener.Addr()
		}
		running.servers = append(running.servers, e.server)
		go func() {
			if err := e.server.Serve(e.bound(listener)); !errors.Is(err, http.ErrServerClosed) {
				running.failed <- fmt.Errorf("serve %s: %w", e.address, err)
			}
		}()
	}
	return running, nil
}

func (r *sponsorServers) URL() string { return "http://" + r.address.String() }

// Close waits for requests in flight.
func (r *sponsorServers) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), door.RequestTime)
	defer cancel()
	var errs []error
	for _, server := range r.servers {
		errs = append(errs, server.Shutdown(ctx))
	}
	return errors.Join(errs...)
}

func sponsorRelease(ctx *cli.Context) error {
	config, err := sponsor.LoadConfig(program.ExpandHome(ctx.Path(sponsorConfigFlag.Name)))
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx.Context, releaseTimeout)
	defer cancel()
	outcomes, err := sponsor.Release(limited, config)
	if err != nil {
		return err
	}
	return program.Print(ctx, outcomes, func() error {
		table := tabwriter.NewWriter(ctx.App.Writer, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "Transaction of the sender\tSender\tNonce\tPolicy\tBecame\tFee or most to pay")
		for _, o := range outcomes {
			fmt.Fprintf(table, "%v\t%v\t%d\t%s\t%s\t%s\n", o.Hash, o.Sender, o.Nonce, o.Label, o.State, o.Amount)
		}
		return table.Flush()
	})
}

func sponsorCheck(ctx *cli.Context) error {
	if ctx.NArg() != 2 {
		return errors.New("name the configuration and a signed transaction: gwon-pay sponsor check sponsor.toml TRANSACTION")
	}
	config, err := sponsor.LoadConfig(program.ExpandHome(ctx.Args().Get(0)))
	if err != nil {
		return err
	}
	input, err := program.ReadTransaction(ctx.Args().Get(1))
	if err != nil {
		return err
	}
	signed, err := txsign.Parse(input)
	if err != nil {
		return err
	}
	request := txobject.Of(signed.Sender, signed.Tx)
	type verdict struct {
		Label    string            `json:"label"`
		Allowed  bool              `json:"allowed"`
		Findings []sponsor.Finding `json:"findings"`
	}
	var verdicts []verdict
	anyAllowed := false
	for _, k := range config.Keys {
		v := verdict{k.Label, true, k.Explain(signed.Tx, request, time.Now())}
		for _, f := range v.Findings {
			v.Allowed = v.Allowed && f.Allowed
		}
		verdicts, anyAllowed = append(verdicts, v), anyAllowed || v.Allowed
	}
	err = program.Print(ctx, verdicts, func() error {
		table := tabwriter.NewWriter(ctx.App.Writer, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "Sender\t%v\nMost to pay\t%s\n", signed.Sender, txsign.FormatCoins(request.Cost()))
		for _, v := range verdicts {
			fmt.Fprintf(table, "\n%s\tRule\tAllowed\tTransaction\t\n", v.Label)
			for _, f := range v.Findings {
				word, reason := "yes", ""
				if !f.Allowed {
					word, reason = "NO", f.Text
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", word, f.Rule, f.Limit, f.Have, reason)
			}
		}
		return table.Flush()
	})
	if err == nil && !anyAllowed {
		err = errors.New("no policy allows this transaction")
	}
	return err
}

// sponsorSeed writes a new phrase.
func sponsorSeed(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("name a new file for the seed: gwon-pay sponsor seed seed.txt")
	}
	path := program.ExpandHome(ctx.Args().First())
	phrase, err := hdkey.NewPhrase()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the file of the seed: %w: name one that does not exist", err)
	}
	_, err = file.WriteString(phrase + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	config := &sponsor.PayerConfig{Seed: path, Accounts: sponsor.DefaultAccounts}
	addresses, err := sponsor.Deposits(ctx.Context, config)
	if err != nil {
		return err
	}
	for _, address := range addresses {
		fmt.Fprintf(ctx.App.Writer, "Send coins to:  %v\n", address)
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Lines for sponsor.toml:\n\n[[payer]]\nseed = %q\n", path)
	return err
}

func sponsorPayers(ctx *cli.Context) error {
	var to *common.Address
	if text := ctx.String(payersToFlag.Name); text != "" {
		address, err := txobject.ParseAddress(text)
		if err != nil {
			return fmt.Errorf("--to: %w", err)
		}
		to = &address
	}
	config, err := sponsor.LoadConfig(program.ExpandHome(ctx.Path(sponsorConfigFlag.Name)))
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx.Context, releaseTimeout)
	defer cancel()
	payers, failure := sponsor.Payers(limited, config, to, withdrawalTimeout)
	if len(payers) == 0 {
		return failure
	}
	if ctx.Bool(program.JSONFlag.Name) {
		return errors.Join(program.PrintIndented(ctx.App.Writer, payers), failure)
	}
	table := tabwriter.NewWriter(ctx.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Payer\tKey\tUse\tBalance\tReserved\tSent")
	for _, p := range payers {
		use := "left: send no coins"
		switch {
		case p.Deposit && p.Pays:
			use = "pays, send coins here"
		case p.Deposit:
			use = "send coins here"
		case p.Pays:
			use = "pays"
		}
		sent := cmp.Or(p.Sent, "nothing")
		switch {
		case p.Hash != nil && p.Sent == "":
			sent = fmt.Sprintf("submitted %v, %s", p.Hash, p.Reason)
		case p.Reason != "":
			sent = "nothing: " + p.Reason
		}
		fmt.Fprintf(table, "%v\t%s\t%s\t%s\t%s\t%s\n", p.Address, cmp.Or(p.Path, "configuration"), use, p.Balance,
			p.Reserved, sent)
	}
	return errors.Join(table.Flush(), failure)
}

// sponsorKey prints a new API key of 128 random bits and its hash.
func sponsorKey(ctx *cli.Context) error {
	var bits [16]byte
	if _, err := rand.Read(bits[:]); err != nil {
		return fmt.Errorf("random number: %w", err)
	}
	key := base64.RawURLEncoding.EncodeToString(bits[:])
	hash := sha256.Sum256([]byte(key))
	_, err := fmt.Fprintf(ctx.App.Writer, "Key for the application, shown once:  %s\nLine for [[key]] in "+
		"sponsor.toml:    hash = %q\n", key, hex.EncodeToString(hash[:]))
	return err
}
