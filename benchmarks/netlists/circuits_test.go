package netlists

import (
	"fmt"
	"math/bits"

	"orbitmc/aig"
	"orbitmc/ts"
)

// word is a number in binary, least bit first.
type word []aig.Lit

// circuit is a system under construction: variables are updated rule by rule.
type circuit struct {
	g    *aig.Graph
	sys  *ts.System
	vars []*variable
}

type variable struct {
	now, next word
	first     int // number of its first latch
}

func newCircuit() *circuit {
	g := aig.New()
	return &circuit{g: g, sys: &ts.System{G: g, W: aig.True}}
}

func (c *circuit) input(name string, width int) word {
	var w word
	for i := range width {
		w = append(w, c.g.Input())
		c.sys.Inputs = append(c.sys.Inputs, ts.Signal{Name: fmt.Sprintf("%s.%d", name, i), Node: w[i].Node()})
	}
	return w
}

// variable adds a state variable that is at first reset.
func (c *circuit) variable(name string, width, reset int) *variable {
	v := &variable{first: len(c.sys.Latches)}
	for i := range width {
		v.now = append(v.now, c.g.Input())
		c.sys.Latches = append(c.sys.Latches, ts.Latch{Name: fmt.Sprintf("%s.%d", name, i), Node: v.now[i].Node(), Reset: aig.False.NotIf(reset>>i&1 == 1)})
	}
	v.next = v.now
	c.vars = append(c.vars, v)
	return v
}

func (c *circuit) is(w word, value int) aig.Lit {
	all := make([]aig.Lit, len(w))
	for i, l := range w {
		all[i] = l.NotIf(value>>i&1 == 0)
	}
	return c.g.AndN(all)
}

func (c *circuit) set(when aig.Lit, v *variable, to word) {
	next := make(word, len(v.next))
	for i := range next {
		next[i] = c.g.Mux(when, to[i], v.next[i])
	}
	v.next = next
}

func (c *circuit) setTo(when aig.Lit, v *variable, value int) {
	w := make(word, len(v.now))
	for i := range w {
		w[i] = aig.False.NotIf(value>>i&1 == 1)
	}
	c.set(when, v, w)
}

func (c *circuit) finish(bad aig.Lit) *ts.System {
	for _, v := range c.vars {
		for i, l := range v.next {
			c.sys.Latches[v.first+i].Next = l
		}
	}
	c.sys.Bads = []ts.Bad{{Name: "bad", Lit: bad}}
	return c.sys
}

// width returns how many bits number n things.
func width(n int) int { return bits.Len(uint(n - 1)) }

// Semaphore is sem_counter.m, or sem_counter_bug.m, for n processes and n/2 permits; it
// is bad that more are inside than there are permits.
func Semaphore(n int, bug bool) *ts.System {
	const noncritical, trying, critical = 0, 1, 2
	permits := n / 2
	c := newCircuit()
	g := c.g
	rule, proc := c.input("rule", 2), c.input("proc", width(n))
	free := c.variable("free", width(permits+1), permits)
	some, full := c.is(free.now, 0).Not(), c.is(free.now, permits)
	var inside []aig.Lit
	var less, more []aig.Lit
	for i := range n {
		state := c.variable(fmt.Sprint("state", i), 2, noncritical)
		me := c.is(proc, i)
		fire := func(r, in int, guard aig.Lit) aig.Lit {
			return g.AndN([]aig.Lit{me, c.is(rule, r), c.is(state.now, in), guard})
		}
		try, giveUp := fire(0, noncritical, aig.True), fire(1, trying, aig.True)
		p, v := fire(2, trying, some), fire(3, critical, aig.True)
		c.setTo(try, state, trying)
		c.setTo(giveUp, state, noncritical)
		c.setTo(p, state, critical)
		c.setTo(v, state, noncritical)
		less, more = append(less, p), append(more, v)
		if bug {
			more = append(more, giveUp)
		}
		inside = append(inside, c.is(state.now, critical))
	}
	down, up := make(word, len(free.now)), make(word, len(free.now))
	borrow, carry := aig.True, aig.True
	for i, b := range free.now {
		down[i], borrow = g.Xor(b, borrow), g.And(b.Not(), borrow)
		up[i], carry = g.Xor(b, carry), g.And(b, carry)
	}
	c.set(g.OrN(less), free, down)
	c.set(g.And(g.OrN(more), full.Not()), free, up)
	// atLeast[k]: k processes or more are inside.
	atLeast := make([]aig.Lit, permits+2)
	atLeast[0] = aig.True
	for _, x := range inside {
		for k := permits + 1; k > 0; k-- {
			atLeast[k] = g.Or(atLeast[k], g.And(x, atLeast[k-1]))
		}
	}
	return c.finish(atLeast[permits+1])
}

// German is german.m, or german_bug2.m, for n nodes and two values of data; it is bad
// that its CtrlProp does not hold.
func German(n int, bug bool) *ts.System {
	const (
		invalid, shared, exclusive = 0, 1, 2
		empty, reqS, reqE          = 0, 1, 2 // of channel 1 and the current command
		inv, gntS, gntE            = 1, 2, 3 // of channel 2
		store, sendReqS, sendReqE  = 0, 1, 2 // rules
		recvGntS, recvGntE         = 3, 4    //
		sendInvAck, recvReq        = 5, 6    //
		sendInv, recvInvAck        = 7, 8    //
		sendGntS, sendGntE         = 9, 10   //
	)
	c := newCircuit()
	g := c.g
	rule, node, data := c.input("rule", 4), c.input("node", width(n)), c.input("data", 1)
	exGntd, curCmd, curPtr := c.variable("ExGntd", 1, 0), c.variable("CurCmd", 2, empty), c.variable("CurPtr", width(n), 0)
	mem, aux := c.variable("MemData", 1, 0), c.variable("AuxData", 1, 0)
	type row struct{ cache, value, chan1, chan2, data2, chan3, data3, shr, inv *variable }
	rows := make([]row, n)
	var sharers []aig.Lit
	for i := range rows {
		v := func(name string, width int) *variable { return c.variable(fmt.Sprint(name, i), width, 0) }
		rows[i] = row{v("Cache", 2), v("Data", 1), v("Chan1", 2), v("Chan2", 2), v("Data2", 1), v("Chan3", 1), v("Data3", 1), v("ShrSet", 1), v("InvSet", 1)}
		sharers = append(sharers, rows[i].shr.now[0])
	}
	ex, nobody := exGntd.now[0], g.OrN(sharers).Not()
	var request, ack []aig.Lit
	for i, r := range rows {
		me := c.is(node, i)
		fire := func(number int, guards ...aig.Lit) aig.Lit {
			return g.AndN(append(guards, me, c.is(rule, number)))
		}
		when := fire(store, c.is(r.cache.now, exclusive))
		c.set(when, r.value, data)
		c.set(when, aux, data)

		c.setTo(fire(sendReqS, c.is(r.chan1.now, empty), c.is(r.cache.now, invalid)), r.chan1, reqS)
		c.setTo(fire(sendReqE, c.is(r.chan1.now, empty), c.is(r.cache.now, exclusive).Not()), r.chan1, reqE)
		for _, grant := range [][3]int{{recvGntS, gntS, shared}, {recvGntE, gntE, exclusive}} {
			when = fire(grant[0], c.is(r.chan2.now, grant[1]))
			c.setTo(when, r.cache, grant[2])
			c.set(when, r.value, r.data2.now)
			c.setTo(when, r.chan2, empty)
		}
		when = fire(sendInvAck, c.is(r.chan2.now, inv), r.chan3.now[0].Not())
		c.setTo(when, r.chan2, empty)
		c.setTo(when, r.chan3, 1)
		c.set(g.And(when, c.is(r.cache.now, exclusive)), r.data3, r.value.now)
		c.setTo(when, r.cache, invalid)

		when = fire(recvReq, c.is(curCmd.now, empty), c.is(r.chan1.now, empty).Not())
		c.set(when, curCmd, r.chan1.now)
		c.set(when, curPtr, node)
		c.setTo(when, r.chan1, empty)
		request = append(request, when)

		wanted := g.Or(c.is(curCmd.now, reqE), g.And(c.is(curCmd.now, reqS), ex))
		when = fire(sendInv, c.is(r.chan2.now, empty), r.inv.now[0], wanted)
		c.setTo(when, r.chan2, inv)
		c.setTo(when, r.inv, 0)

		when = fire(recvInvAck, r.chan3.now[0], c.is(curCmd.now, empty).Not())
		c.setTo(when, r.chan3, 0)
		c.set(g.And(when, ex), mem, r.data3.now)
		c.setTo(when, exGntd, 0)
		ack = append(ack, when)

		free := g.AndN([]aig.Lit{c.is(curPtr.now, i), c.is(r.chan2.now, empty), ex.Not()})
		for _, grant := range []struct {
			when     aig.Lit
			to, excl int
		}{{fire(sendGntS, free, c.is(curCmd.now, reqS)), gntS, 0}, {fire(sendGntE, free, c.is(curCmd.now, reqE), nobody), gntE, 1}} {
			c.setTo(grant.when, r.chan2, grant.to)
			c.set(grant.when, r.data2, mem.now)
			c.setTo(grant.when, r.shr, 1)
			c.setTo(grant.when, exGntd, grant.excl)
			c.setTo(grant.when, curCmd, empty)
		}
	}
	var bad []aig.Lit
	for i, r := range rows {
		c.set(g.OrN(request), r.inv, r.shr.now)
		if bug {
			c.setTo(g.OrN(ack), r.shr, 0)
		} else {
			c.setTo(ack[i], r.shr, 0)
		}
		for j, other := range rows {
			if i != j {
				bad = append(bad, g.And(c.is(r.cache.now, exclusive), c.is(other.cache.now, invalid).Not()))
			}
		}
	}
	return c.finish(g.OrN(bad))
}
