/* Copyright 2026 The gwon Authors
 * SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The vote rules of consensus/wbft for spin: agreement, and what a key signs. README.md says what is covered and what is not.
 *
 * Four validators, three of them honest and modelled one by one; the fourth is faulty. Its key can sign anything at any time and show it
 * to whom it likes, so it has no state: every count of votes below includes its vote (FAULTY).
 *
 * Nothing is delivered: what was sent is a set that only grows, and an honest validator may act on any part of it at any time. That covers
 * delay, loss, duplication, reordering and partition. There are no proposers either: an honest validator may vote for any block whose proposal
 * could be justified to it by what was sent, as if every proposer were faulty.
 *
 * By -D:
 *   ROUNDS=2|3, HEIGHTS=1|2
 *   SHORT_END       the second height has one round only
 *   STEPS           signing in three steps (decided, on disk, sent), with a crash between any two
 *   INTERLEAVE      both heights at any time; without it the second begins when no validator acts in the first any more
 *   ALL_STATES      no state stands for another one
 *   ONLY_AGREEMENT  checks nothing else
 *   WITNESS         fails when the last round of the last height can be decided, as it should
 *   SHORTEST        for a search by breadth
 *   NO_LOCK NO_DURABILITY FEW_CHANGES FEW_PREPARES ANY_PREPARED SEND_FIRST NO_WAIT EAGER: faults, see README.md
 */

#ifndef ROUNDS
#define ROUNDS 3
#endif
#ifndef HEIGHTS
#define HEIGHTS 2
#endif

#define NODES  3 /* honest */
#define FAULTY 1
#define QUORUM 3 /* of 4 (validators.QuorumOf) */

#ifdef FEW_CHANGES
#define CHANGES 2
#else
#define CHANGES QUORUM
#endif
#ifdef FEW_PREPARES
#define PREPARES 2
#else
#define PREPARES QUORUM
#endif

/* What a validator has signed at a height is a set of bits. v is one of two blocks, 0 or 1; a pair of bits differs in the block only. */
#define PREPARE(r, v)         (1 << (2*(r) + (v)))
#define COMMIT(r, v)          (1 << (6 + 2*(r) + (v)))
#define CHANGE1               (1 << 12)                        /* ROUND-CHANGE to round 1 without a claim */
#define CHANGE1_CLAIM(v)      (1 << (13 + (v)))                /* ... that claims the block prepared in round 0 */
#define CHANGE2               (1 << 15)                        /* ROUND-CHANGE to round 2 without a claim */
#define CHANGE2_CLAIM(p, v)   (1 << (16 + 2*(p) + (v)))        /* ... that claims it prepared in round p */
#define SIGNED                ((1 << 20) - 1)

/* What else a validator has on its disk. */
#define LOCK(r, v)            (1 << (20 + 2*(r) + (v)))        /* prepared certificate (core.PersistLock) */
#define LOCKS                 (63 << 20)
#define LOST                  (1 << 26)                        /* its log was lost at this height */
#define BLOCK                 (1 << 27)                        /* the block that was decided at this height */
#define FLEETING              (1 << 28)                        /* ... which is in memory only */

#define PREPARES_OF(r)        (PREPARE(r, 0) | PREPARE(r, 1))
#define COMMITS_OF(r)         (COMMIT(r, 0) | COMMIT(r, 1))
#define TO1_UPTO0             (CHANGE1 | CHANGE1_CLAIM(0) | CHANGE1_CLAIM(1))
#define TO2_UPTO0             (CHANGE2 | CHANGE2_CLAIM(0, 0) | CHANGE2_CLAIM(0, 1))
#define TO2_UPTO1             (TO2_UPTO0 | CHANGE2_CLAIM(1, 0) | CHANGE2_CLAIM(1, 1))
#define BLOCK0_BITS           22357333 /* the lower bit of each pair: 0 2 4 6 8 10 13 16 18 20 22 24 */
#define PAIR_BITS             (BLOCK0_BITS | (BLOCK0_BITS << 1))
#define OTHER_BLOCK(x)        ((((x) & BLOCK0_BITS) << 1) | (((x) >> 1) & BLOCK0_BITS) | ((x) & ~PAIR_BITS))

int disk[6]; /* by height*3 + validator: what its log and its chain have (votelog) */
int sent[6]; /* what it has ever sent: no crash takes that back */
int task[3]; /* what it is about to sign, with WRITTEN if that is on disk (STEPS only) */
#define WRITTEN (1 << 29)
#define AT(h, i) ((h)*3 + (i))

/* How many validators have sent one of these. */
#define COUNT(h, x) (((sent[AT(h, 0)] & (x)) != 0) + ((sent[AT(h, 1)] & (x)) != 0) + ((sent[AT(h, 2)] & (x)) != 0) + FAULTY)

/* Blocks with a prepared certificate, and those that are decided: Core.prepare and Core.commit. */
#define PREPARED(h, r, v)  (COUNT(h, PREPARE(r, v)) >= QUORUM)
#define COMMITTED(h, r, v) (COUNT(h, COMMIT(r, v)) >= QUORUM && PREPARED(h, r, v))
#if ROUNDS == 3
#define DECIDED(h, v) (COMMITTED(h, 0, v) || COMMITTED(h, 1, v) || COMMITTED(h, 2, v))
#else
#define DECIDED(h, v) (COMMITTED(h, 0, v) || COMMITTED(h, 1, v))
#endif

/* Core.checkJustification: a quorum of ROUND-CHANGEs to the round, none of them with a claim; or a quorum of PREPAREs for the block in some
 * round and a quorum of ROUND-CHANGEs whose claims are no higher than it. The faulty validator is one of each quorum, and makes the claim.
 * Its PREPAREs may be of the very round that is being proposed in, which the other client's ROUND-CHANGEs need. */
#define CERTIFIED(h, p, v) (COUNT(h, PREPARE(p, v)) >= PREPARES)
#ifdef ANY_PREPARED
#define UPTO(x) TO2_UPTO1
#else
#define UPTO(x) x
#endif
#define JUSTIFIED1(h, v) (COUNT(h, CHANGE1) >= CHANGES || (COUNT(h, TO1_UPTO0) >= CHANGES && (CERTIFIED(h, 0, v) || CERTIFIED(h, 1, v))))
#define JUSTIFIED2(h, v) (COUNT(h, CHANGE2) >= CHANGES || \
	(COUNT(h, UPTO(TO2_UPTO0)) >= CHANGES && CERTIFIED(h, 0, v)) || \
	(COUNT(h, TO2_UPTO1) >= CHANGES && (CERTIFIED(h, 1, v) || CERTIFIED(h, 2, v))))
#define JUSTIFIED(h, r, v) ((r) == 0 || ((r) == 1 && JUSTIFIED1(h, v)) || ((r) == 2 && JUSTIFIED2(h, v)))

/* The round a validator is in is the highest it has signed for (record.highestRound): who enters a round above 0 signs a ROUND-CHANGE. */
#define IN2(x)      (((x) & TO2_UPTO1) != 0)
#define IN1(x)      (!IN2(x) && ((x) & TO1_UPTO0) != 0)
#define IN0(x)      (((x) & (TO2_UPTO1 | TO1_UPTO0)) == 0)
#define IN(x, r)    (((r) == 0 && IN0(x)) || ((r) == 1 && IN1(x)) || ((r) == 2 && IN2(x)))

/* There is a process for each height and honest validator. It has no state of its own: its number says which it is. */
#define ME     (_pid % 3)
#define HEIGHT (_pid / 3)
#define OWN    disk[_pid]

#if HEIGHTS == 2
#define BEGUN (((sent[3] | sent[4] | sent[5] | disk[3] | disk[4] | disk[5]) & (SIGNED | LOCKS)) != 0) /* somebody has signed at height 1 */
#else
#define BEGUN false
#endif
#ifdef INTERLEAVE
#define MAY_ACT true
#else
#define MAY_ACT (_pid >= 3 || !BEGUN)
#endif

#ifdef SHORT_END
#define MAY_CHANGE (HEIGHT == 0)
#else
#define MAY_CHANGE true
#endif

/* Who may sign: at the height above its newest block, with its log. */
#define HAS(i, x) ((disk[i] & (x)) != 0)
#define TOP(i)    (HAS(i, BLOCK) -> 1 : 0)
#define AWAKE     (task[ME] == 0 && (OWN & LOST) == 0 && TOP(ME) == HEIGHT && MAY_ACT)

/* What a ROUND-CHANGE says: it carries the highest lock (Core.broadcastRoundChange). */
#ifdef NO_LOCK
#define CLAIM1(x) CHANGE1
#define CLAIM2(x) CHANGE2
#else
#define CLAIM1(x) (((x) & LOCK(0, 0)) != 0 -> CHANGE1_CLAIM(0) : (((x) & LOCK(0, 1)) != 0 -> CHANGE1_CLAIM(1) : CHANGE1))
#define CLAIM2(x) (((x) & LOCK(1, 0)) != 0 -> CHANGE2_CLAIM(1, 0) : (((x) & LOCK(1, 1)) != 0 -> CHANGE2_CLAIM(1, 1) : \
	(((x) & LOCK(0, 0)) != 0 -> CHANGE2_CLAIM(0, 0) : (((x) & LOCK(0, 1)) != 0 -> CHANGE2_CLAIM(0, 1) : CHANGE2))))
#endif

/* Signing: the record first, then the network (Driver). */
#define KEEP_RECORD OWN = OWN | (task[ME] & (SIGNED | LOCKS))
#define SEND        sent[_pid] = sent[_pid] | (task[ME] & SIGNED)
#ifdef STEPS
#define SIGN(x) task[ME] = x; done()
#else
#define SIGN(x) task[ME] = x; KEEP_RECORD; SEND; task[ME] = 0; done()
#endif
#ifdef SEND_FIRST
#define FIRST  SEND
#define SECOND KEEP_RECORD
#else
#define FIRST  KEEP_RECORD
#define SECOND SEND
#endif

/* Invariants. */

/* Agreement: at no height can two blocks be decided, by whomever and whenever. */
#define AGREEMENT(h) (!(DECIDED(h, 0) && DECIDED(h, 1)))

/* No honest validator signs two messages of one kind and round, and none leaves out or lowers a lock after its COMMIT. */
#define ONE(x)      (((x) & ((x) - 1)) == 0)
#define COMMITS(x, r) (((x) & COMMITS_OF(r)) != 0)
#define CONSISTENT(x) (ONE((x) & PREPARES_OF(0)) && ONE((x) & PREPARES_OF(1)) && ONE((x) & PREPARES_OF(2)) && \
	ONE((x) & COMMITS_OF(0)) && ONE((x) & COMMITS_OF(1)) && ONE((x) & COMMITS_OF(2)) && ONE((x) & TO1_UPTO0) && ONE((x) & TO2_UPTO1) && \
	!(COMMITS(x, 0) && ((x) & (CHANGE1 | CHANGE2)) != 0) && !(COMMITS(x, 1) && ((x) & TO2_UPTO0) != 0))

/* A lock, and a COMMIT, have a quorum of PREPAREs behind them. */
#define VALID_LOCK(h, i, r, v) (((disk[AT(h, i)] & LOCK(r, v)) == 0 && (sent[AT(h, i)] & COMMIT(r, v)) == 0) || PREPARED(h, r, v))
#define VALID_LOCKS(h, i) (VALID_LOCK(h, i, 0, 0) && VALID_LOCK(h, i, 0, 1) && VALID_LOCK(h, i, 1, 0) && VALID_LOCK(h, i, 1, 1) && \
	VALID_LOCK(h, i, 2, 0) && VALID_LOCK(h, i, 2, 1))

/* Who has signed for a block has its parent on disk. */
#define ROOTED(i) (sent[3+i] == 0 || (HAS(i, BLOCK) && !HAS(i, FLEETING)))

/* Of the step in progress, zero between steps. Not hidden where spin is to look for the shortest way, which it otherwise refuses. */
#ifdef SHORTEST
int k, g, a, b;
#else
hidden int k, g, a, b;
#endif

#define SWAP(x, y) a = x; x = y; y = a
#define AFTER(x, y) (disk[x] > disk[y] || (disk[x] == disk[y] && (sent[x] > sent[y] || (sent[x] == sent[y] && \
	(disk[3+x] > disk[3+y] || (disk[3+x] == disk[3+y] && (sent[3+x] > sent[3+y] || (sent[3+x] == sent[3+y] && task[x] > task[y]))))))))
inline order(x, y) {
	if
	:: AFTER(x, y) ->
		SWAP(disk[x], disk[y]); SWAP(sent[x], sent[y]);
		SWAP(disk[3+x], disk[3+y]); SWAP(sent[3+x], sent[3+y]);
		SWAP(task[x], task[y])
	:: else
	fi
}

/* Ends a step: the invariants, then the one state that stands for all that differ from it by the names of validators or of blocks. */
inline done() {
	assert(AGREEMENT(0));
#if HEIGHTS == 2
	assert(AGREEMENT(1));
#endif
#ifndef ONLY_AGREEMENT
	assert(CONSISTENT(sent[0]) && CONSISTENT(sent[1]) && CONSISTENT(sent[2]));
	assert(VALID_LOCKS(0, 0) && VALID_LOCKS(0, 1) && VALID_LOCKS(0, 2));
#if HEIGHTS == 2
	assert(CONSISTENT(sent[3]) && CONSISTENT(sent[4]) && CONSISTENT(sent[5]));
	assert(VALID_LOCKS(1, 0) && VALID_LOCKS(1, 1) && VALID_LOCKS(1, 2));
	assert(ROOTED(0) && ROOTED(1) && ROOTED(2));
#endif
#endif
#ifdef WITNESS
	assert(!COMMITTED(HEIGHTS-1, ROUNDS-1, 0) && !COMMITTED(HEIGHTS-1, ROUNDS-1, 1));
#endif
#if HEIGHTS == 2
#ifndef INTERLEAVE
	if
	:: BEGUN -> /* no validator acts at height 0 any more: all that counts is which have its block, for others can get it from them */
		for (k : 0 .. 2) {
			disk[k] = disk[k] & (BLOCK | FLEETING);
			sent[k] = 0;
			if
			:: TOP(k) == 0 -> task[k] = 0
			:: else
			fi
		}
	:: else
	fi;
#endif
#endif
#ifndef ALL_STATES
	for (g : 0 .. HEIGHTS-1) {
		a = 0; b = 0;
		for (k : 0 .. 2) {
			a = a + (disk[3*g+k] & PAIR_BITS) / 8 + (sent[3*g+k] & PAIR_BITS);
			b = b + (OTHER_BLOCK(disk[3*g+k]) & PAIR_BITS) / 8 + (OTHER_BLOCK(sent[3*g+k]) & PAIR_BITS)
		}
		if
		:: a > b ->
			for (k : 0 .. 2) {
				disk[3*g+k] = OTHER_BLOCK(disk[3*g+k]);
				sent[3*g+k] = OTHER_BLOCK(sent[3*g+k]);
				if
				:: TOP(k) == g -> task[k] = OTHER_BLOCK(task[k])
				:: else
				fi
			}
		:: else
		fi
	}
	order(0, 1); order(1, 2); order(0, 1);
#endif
	k = 0; g = 0; a = 0; b = 0
}

/* The steps of an honest validator. */

/* Core.accept: a PREPARE for a justified proposal of the current round, if none was signed in it. */
#define DO_PREPARE(r, v) \
	:: d_step { AWAKE && IN(OWN, r) && (OWN & PREPARES_OF(r)) == 0 && JUSTIFIED(HEIGHT, r, v) -> SIGN(PREPARE(r, v)) }

/* Core.prepare: a quorum of PREPAREs becomes the lock, and the COMMIT follows, in one append. A crash can tear that between the two. */
#define DO_COMMIT(r, v) \
	:: d_step { AWAKE && IN(OWN, r) && (OWN & PREPARE(r, v)) != 0 && (OWN & COMMITS_OF(r)) == 0 && PREPARED(HEIGHT, r, v) -> \
		SIGN(LOCK(r, v) | COMMIT(r, v)) } \
	:: d_step { AWAKE && IN(OWN, r) && (OWN & PREPARE(r, v)) != 0 && (OWN & LOCK(r, v)) == 0 && PREPARED(HEIGHT, r, v) -> \
		OWN = OWN | LOCK(r, v); done() }

#define DO_ROUND(r) DO_PREPARE(r, 0) DO_PREPARE(r, 1) DO_COMMIT(r, 0) DO_COMMIT(r, 1)

/* What a validator has on its disk while it signs at the next height. */
#ifdef EAGER
#define NEW_BLOCK (BLOCK | FLEETING)
#else
#define NEW_BLOCK BLOCK
#endif

/* What a restart without the log leaves. */
#ifdef NO_WAIT
#define WAIT 0
#else
#define WAIT LOST
#endif

active [3*HEIGHTS] proctype validator() {
end:	do
	DO_ROUND(0)
	DO_ROUND(1)
#if ROUNDS == 3
	DO_ROUND(2)
#endif

	/* Core.changeRound, by a timer, the F+1 rule or a justified proposal: all of them may come at any time. Rounds may be left out. */
	:: d_step { AWAKE && MAY_CHANGE && IN0(OWN) -> SIGN(CLAIM1(OWN)) }
#if ROUNDS == 3
	:: d_step { AWAKE && MAY_CHANGE && !IN2(OWN) -> SIGN(CLAIM2(OWN)) }
#endif

#if HEIGHTS == 2
	/* Driver.settle: the next height begins when the block is on disk, decided here or imported. */
	:: d_step { _pid < 3 && task[ME] == 0 && !HAS(_pid, BLOCK) &&
		(DECIDED(0, 0) || DECIDED(0, 1) || HAS(0, BLOCK) || HAS(1, BLOCK) || HAS(2, BLOCK)) -> OWN = OWN | NEW_BLOCK; done() }
#endif

#ifdef STEPS
	/* The two other steps of signing, and a restart with the log: what it has is said again. */
	:: d_step { task[ME] != 0 && TOP(ME) == HEIGHT && (task[ME] & WRITTEN) == 0 -> FIRST; task[ME] = task[ME] | WRITTEN; done() }
	:: d_step { task[ME] != 0 && TOP(ME) == HEIGHT && (task[ME] & WRITTEN) != 0 -> SECOND; task[ME] = 0; done() }
	:: d_step { task[ME] != 0 && TOP(ME) == HEIGHT -> task[ME] = 0; sent[_pid] = sent[_pid] | (OWN & SIGNED); done() }
#endif
	/* Without STEPS a validator has nothing in memory only, and a restart with the log changes nothing. */
#ifdef NO_DURABILITY
	:: d_step { AWAKE && (OWN & (SIGNED | LOCKS)) != 0 -> OWN = OWN & ~(SIGNED | LOCKS); done() }
#endif
#ifdef EAGER
	:: d_step { _pid < 3 && HAS(_pid, FLEETING) -> OWN = OWN & ~(BLOCK | FLEETING); done() }
	:: d_step { _pid < 3 && HAS(_pid, FLEETING) -> OWN = OWN & ~FLEETING; done() }
#endif

	/* A restart without the log: what was signed at the height in progress is not known, so nothing more is signed at it. */
	:: d_step { AWAKE && (OWN & (SIGNED | LOCKS)) != 0 -> OWN = (OWN & ~(SIGNED | LOCKS)) | WAIT; done() }
	od
}
