// Package aig is the and-inverter graph: Boolean functions as a graph whose
// nodes are one constant, leaves (inputs) and two-input ANDs, and whose edges
// may be complemented.
package aig
