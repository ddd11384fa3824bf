// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const (
	prometheusDir = "../contrib/prometheus"
	dashboards    = "../contrib/grafana/*.json"
)

// alertRule is an alert of gwon.rules.yml.
type alertRule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// alertRules reads the alerts.
func alertRules(t *testing.T) []alertRule {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []alertRule `yaml:"rules"`
		} `yaml:"groups"`
	}
	readYAML(t, "gwon.rules.yml", &file)
	var rules []alertRule
	for _, group := range file.Groups {
		rules = append(rules, group.Rules...)
	}
	must.That(t, len(rules) >= 15, "%d alerts found", len(rules))
	return rules
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(prometheusDir, name)))(t)
	must.Do(t, yaml.Unmarshal(text, into))
}

// Every alert has a severity, a runbook that names it, and a test in which it fires for one node and not for another.
func TestAlerts(t *testing.T) {
	var tests struct {
		Tests []struct {
			Name   string `yaml:"name"`
			Series []struct {
				Series string `yaml:"series"`
			} `yaml:"input_series"`
			Alerts []struct {
				Alert    string `yaml:"alertname"`
				Expected []struct {
					Labels map[string]string `yaml:"exp_labels"`
				} `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		} `yaml:"tests"`
	}
	readYAML(t, "gwon.rules.test.yml", &tests)
	fires := make(map[string]bool)
	for _, test := range tests.Tests {
		healthy := false
		for _, s := range test.Series {
			healthy = healthy || strings.Contains(s.Series, `instance="good:6060"`)
		}
		for _, a := range test.Alerts {
			bad := len(a.Expected) == 1 && a.Expected[0].Labels["instance"] == "bad:6060"
			fires[a.Alert] = fires[a.Alert] || healthy && bad
		}
	}
	for _, rule := range alertRules(t) {
		t.Run(rule.Alert, func(t *testing.T) {
			s := rule.Labels["severity"]
			expect.That(t, s == "critical" || s == "warning", "severity %q", s)
			runbook := rule.Annotations["runbook_url"]
			must.That(t, strings.HasPrefix(runbook, "docs/operate/runbooks/"), "runbook %q", runbook)
			expect.Contains(t, readPage(t, runbook), "`"+rule.Alert+"`", "%s does not name the alert", runbook)
			expect.That(t, fires[rule.Alert],
				"no test in gwon.rules.test.yml in which it fires for bad:6060 and not for good:6060")
		})
	}
}

// installPrometheus returns what .ci/prometheus prints. Two runs of it at a time would both install the package.
var installPrometheus = sync.OnceValues(func() ([]byte, error) {
	cmd := exec.Command("../.ci/prometheus")
	cmd.Stderr = os.Stderr
	return cmd.Output()
})

// prometheusTools returns the paths of prometheus and promtool. Tests with them run by make observe only.
func prometheusTools(t *testing.T) (server, tool string) {
	t.Helper()
	if os.Getenv("GWON_TEST_OBSERVE") == "" {
		t.Skip("make observe runs this test")
	}
	out, err := installPrometheus()
	must.Do(t, err, ".ci/prometheus found and installed none:")
	paths := strings.Fields(string(out))
	must.Equal(t, len(paths), 2, ".ci/prometheus printed %q", out)
	return paths[0], paths[1]
}

// Prometheus accepts the configuration and the rules, and each alert passes its test.
func TestPrometheusFiles(t *testing.T) {
	t.Parallel()
	_, promtool := prometheusTools(t)
	for _, args := range [][]string{
		{"check", "config", "prometheus.yml"}, {"check", "rules", "gwon.rules.yml"}, {"test", "rules", "gwon.rules.test.yml"},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			cmd := exec.Command(promtool, args...)
			cmd.Dir = prometheusDir
			out, err := cmd.CombinedOutput()
			expect.That(t, err == nil, "%v: %s", err, out)
		})
	}
}

// prometheusServer is a running Prometheus.
type prometheusServer struct{ url string }

// startPrometheus runs Prometheus with the shipped configuration on the targets. Durations are shorter than the shipped
// ones: scrapes and evaluations every second, windows of 20 s, alerts at once.
func startPrometheus(t *testing.T, program, dir string, targets []string) *prometheusServer {
	t.Helper()
	for name, substitutions := range map[string][][2]string{
		"prometheus.yml": {
			{`interval: 5s`, `interval: 1s`}, {`\["127.0.0.1:6060"\]`, `["` + strings.Join(targets, `", "`) + `"]`},
		},
		"gwon.rules.yml": {{`for: \w+`, `for: 0s`}, {`\[(5|10)m\]`, `[20s]`}},
	} {
		content := must.Get(os.ReadFile(filepath.Join(prometheusDir, name)))(t)
		text := string(content)
		for _, s := range substitutions {
			pattern := regexp.MustCompile(s[0])
			must.That(t, pattern.MatchString(text), "%s has no %s", name, s[0])
			text = pattern.ReplaceAllLiteralString(text, s[1])
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--web.listen-address="+address,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--log.level=warn")
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		expect.Error(t, cmd.Process.Kill(), nil, "cmd.Process.Kill")
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("Prometheus printed:\n%s", output.String())
		}
	})
	return &prometheusServer{"http://" + address}
}

// sample is one series of an answer of Prometheus, or an alert.
type sample struct {
	Metric map[string]string `json:"metric"`
	Value  any               `json:"value"` // of a series: time, value as text
	Labels map[string]string `json:"labels"`
	State  string            `json:"state"`
}

// get asks the HTTP API of Prometheus.
func (p *prometheusServer) get(path string, values url.Values) ([]sample, error) {
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Get(p.url + "/api/v1/" + path + "?" + values.Encode())
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	var body struct {
		Error string `json:"error"`
		Data  struct {
			Result []sample `json:"result"`
			Alerts []sample `json:"alerts"`
		} `json:"data"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		return nil, err
	}
	if body.Error != "" {
		return nil, fmt.Errorf("%s", body.Error)
	}
	return append(body.Data.Result, body.Data.Alerts...), nil
}

// hasValue reports whether a query gives a number now.
func (p *prometheusServer) hasValue(query string) (bool, error) {
	series, err := p.get("query", url.Values{"query": {query}})
	return slices.ContainsFunc(series, func(s sample) bool {
		value, _ := s.Value.([]any)
		if len(value) != 2 {
			return false
		}
		number, err := strconv.ParseFloat(fmt.Sprint(value[1]), 64)
		return err == nil && !math.IsNaN(number)
	}), err
}

// firing returns the labels of the alerts that fire, by name.
func (p *prometheusServer) firing() (map[string][]map[string]string, error) {
	alerts, err := p.get("alerts", nil)
	firing := make(map[string][]map[string]string)
	for _, a := range alerts {
		if a.State == "firing" {
			name := a.Labels["alertname"]
			firing[name] = append(firing[name], a.Labels)
		}
	}
	return firing, err
}

// panelQueries returns the queries of all dashboards by dashboard, panel and query, with the variables filled in.
func panelQueries(t *testing.T) map[string]string {
	t.Helper()
	variables := strings.NewReplacer("$job", "gwon", "$instance", ".*", "$__rate_interval", "20s", "$__range", "60s")
	files := must.Get(filepath.Glob(dashboards))(t)
	must.Equal(t, len(files), 4, "dashboards")
	queries := make(map[string]string)
	for _, file := range files {
		text := must.Get(os.ReadFile(file))(t)
		var board struct {
			Panels []struct {
				Title      string            `json:"title"`
				Datasource map[string]string `json:"datasource"`
				Targets    []struct {
					Ref  string `json:"refId"`
					Expr string `json:"expr"`
				} `json:"targets"`
			} `json:"panels"`
		}
		must.Do(t, json.Unmarshal(text, &board), file)
		for _, panel := range board.Panels {
			expect.Equal(t, panel.Datasource["uid"], "${datasource}",
				"%s: the panel %q does not take its data source from the variable", file, panel.Title)
			for _, target := range panel.Targets {
				queries[fmt.Sprintf("%s: %s: %s", filepath.Base(file), panel.Title, target.Ref)] = variables.Replace(target.Expr)
			}
		}
	}
	must.That(t, len(queries) >= 60, "%d queries found", len(queries))
	return queries
}

// awaitPanels waits until every query of every panel gives a number at the same time.
func (p *prometheusServer) awaitPanels(t *testing.T, c *cluster) {
	t.Helper()
	queries := panelQueries(t)
	names := slices.Sorted(maps.Keys(queries))
	c.await(t, "a value in every panel", func() (bool, string) {
		var empty []string
		for _, name := range names {
			if ok, err := p.hasValue(queries[name]); !ok {
				empty = append(empty, fmt.Sprintf("%s: %s: %v", name, queries[name], err))
			}
		}
		return len(empty) == 0, "\n" + strings.Join(empty, "\n")
	})
}

// startLoad sends transactions of all kinds to nodes until the test ends.
func startLoad(t *testing.T, home string, endpoints []string) {
	t.Helper()
	load := exec.Command(programPath("gwon-dev"), "load", "--rpc", strings.Join(endpoints, ","), "--kind", "mix",
		"--rate", "30", "--for", "5m", "--senders", "10", "--quiet")
	load.Env = environment(home)
	var output strings.Builder
	load.Stdout, load.Stderr = &output, &output
	must.Do(t, load.Start())
	ended := make(chan error, 1)
	go func() { ended <- load.Wait() }()
	t.Cleanup(func() {
		expect.Error(t, load.Process.Kill(), nil, "kill the load")
		<-ended //nolint:errcheck // it was killed
		if t.Failed() {
			t.Logf("the load printed:\n%s", output.String())
		}
	})
}

// A network under load fills every panel of every dashboard. When a validator is killed the right alerts fire, about
// that validator, and the panels stay filled. A follower alerts as validators do.
func TestMonitoredNetwork(t *testing.T) {
	program, _ := prometheusTools(t)
	c := prepareCluster(t, 4)
	dir := c.network.Dir
	follower := c.addFollowers(t, 1)
	var targets, endpoints []string
	for i := range c.network.Nodes {
		port := freePort(t)
		flags := []string{"--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", strconv.Itoa(port)}
		if i == follower { // a dial before the validators listen is repeated only after half a minute
			c.awaitHead(t, 1, 0, 1, 2)
			c.follow(t, i, []int{0, 1, 2}, flags...)
		} else {
			c.start(t, i, flags...)
		}
		targets = append(targets, fmt.Sprintf("127.0.0.1:%d", port))
		endpoints = append(endpoints, c.node(i).HTTP())
	}
	c.awaitHead(t, 2, 0, 1, 2, 3, follower)
	p := startPrometheus(t, program, dir, targets)
	startLoad(t, dir, endpoints[:3])
	p.awaitPanels(t, c)
	t.Run("documented", func(t *testing.T) { checkDocumented(t, "http://"+targets[0]+"/metrics") })
	unwanted := []string{
		"GwonHalted", "GwonMuted", "GwonWaiting", "GwonSafetyViolation", "GwonMisbehavior", "GwonChainStalled",
		"GwonPeersLow",
	}
	quiet := func(names ...string) {
		t.Helper()
		firing := must.Get(p.firing())(t)
		for _, name := range names {
			expect.That(t, len(firing[name]) == 0, "%s fires: %v", name, firing[name])
		}
	}
	quiet(append(unwanted, "GwonDown", "GwonValidatorSilent")...)

	const victim = 3
	address := strings.ToLower(c.node(victim).Address.Hex())
	c.kill(t, victim)
	for name, where := range map[string]struct{ instance, validator string }{
		"GwonDown":            {targets[victim], ""},
		"GwonSealsMissed":     {targets[follower], address},
		"GwonProposalMissed":  {targets[follower], address},
		"GwonRoundsHigh":      {targets[0], ""},
		"GwonValidatorSilent": {targets[0], address},
	} {
		c.await(t, fmt.Sprintf("alert %s of %s", name, where), func() (bool, string) {
			firing, err := p.firing()
			return slices.ContainsFunc(firing[name], func(labels map[string]string) bool {
				return labels["instance"] == where.instance && labels["validator"] == where.validator
			}), fmt.Sprintf("%v, error %v", firing, err)
		})
	}
	firing := must.Get(p.firing())(t)
	for _, labels := range append(firing["GwonValidatorSilent"], firing["GwonDown"]...) {
		expect.That(t, labels["validator"] == address || labels["instance"] == targets[victim],
			"an alert about another validator: %v", labels)
	}
	quiet(unwanted...)
	p.awaitPanels(t, c)
}

// checkDocumented checks that every metric of gwon at a URL has a row in docs/reference/metrics.md.
func checkDocumented(t *testing.T, from string) {
	t.Helper()
	reference := readPage(t, "docs/reference/metrics.md")
	var rows []*regexp.Regexp
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(reference, -1) {
		pattern := regexp.MustCompile(`_[A-Z]+$`).ReplaceAllLiteralString(row[1], `_\w+`)
		rows = append(rows, regexp.MustCompile("^"+pattern+"(_count)?$"))
	}
	answer := must.Get(http.Get(from))(t)
	defer func() { _ = answer.Body.Close() }() // it was read
	names := make(map[string]bool)
	for lines := bufio.NewScanner(io.LimitReader(answer.Body, 16<<20)); lines.Scan(); {
		if name := regexp.MustCompile(`^(gwon|wbft|rpc_refused|txpool_refused)_\w+`).FindString(lines.Text()); name != "" {
			names[name] = true
		}
	}
	must.That(t, len(names) >= 100, "%d metrics of gwon found", len(names))
	for name := range names {
		expect.That(t, slices.ContainsFunc(rows, func(row *regexp.Regexp) bool { return row.MatchString(name) }),
			"docs/reference/metrics.md has no metric %s", name)
	}
}
