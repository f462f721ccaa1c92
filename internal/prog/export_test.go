package prog

// ResetWithout is Reset that breaks a rule: what properties read is not live, or what is read after the next step is not.
func ResetWithout(p *Program, properties, later bool) (*Program, error) {
	s, err := NewSteps(p, p.Model)
	if err != nil {
		return nil, err
	}
	if properties {
		clear(s.always)
	}
	if later {
		for i := range s.nodes {
			clear(s.nodes[i].live)
		}
		for i := range s.instances {
			x := &s.instances[i]
			for k, n := range x.actors {
				if n >= 0 {
					s.nodes[s.all[n].node+x.from[k]].live.or(x.foot.Reads)
				}
			}
		}
	}
	return s.reset(p), nil
}
