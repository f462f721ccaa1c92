package explicit

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sort"

	"orbitmc/internal/lists"
)

// This file keeps sorted records in files that one process writes and others read. Records are in blocks, compressed
// one by one, each with a checksum. Behind them is an index, with the first record of each block, so that what is
// looked for costs one block. A file has its name once it is whole, and is never changed.

// blocks is a file of sorted records that is read. It is for one goroutine.
type blocks struct {
	*os.File
	i    blockIndex
	at   int    // the block in some; -1: none
	some []byte // its records
	raw  []byte // scratch
}

// blockIndex is what is behind the blocks of a file. Its place and checksum are the last trailerBytes.
type blockIndex struct {
	Name           string  // of the file
	Size, Block, N int     // bytes of a record; records of a block; records
	Ends           []int64 // by block: where it ends in the file
	Sums           []uint32
	Firsts         []byte // by block: its first record
}

// A block has so many bytes of records, but no fewer records than leastBlock.
const (
	blockBytes   = 1 << 18
	leastBlock   = 64
	trailerBytes = 12
)

// writeBlocks writes the records that each yields, which are sorted.
func writeBlocks(name string, size int, each func(yield func(b []byte) error) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.new") // a task that was given up may still write
	if err != nil {
		return err
	}
	return finish(f, name, writeRecords(f, indexOf(filepath.Base(name), size), each))
}

func indexOf(name string, size int) blockIndex {
	return blockIndex{Name: name, Size: size, Block: max(leastBlock, blockBytes/size)}
}

// writeRecords writes blocks and their index.
func writeRecords(f io.Writer, x blockIndex, each func(yield func(b []byte) error) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	var now []byte
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.BestSpeed)
	end := int64(0)
	flush := func() error {
		if len(now) == 0 {
			return nil
		}
		out.Reset()
		z.Reset(&out)
		z.Write(now) // into memory
		z.Close()
		end += int64(out.Len())
		x.Ends, x.Sums, x.Firsts = append(x.Ends, end), append(x.Sums, crc32.Checksum(out.Bytes(), castagnoli)), append(x.Firsts, now[:x.Size]...)
		now = now[:0]
		_, err := w.Write(out.Bytes())
		return err
	}
	err := each(func(b []byte) error {
		now = append(now, b...)
		if x.N++; x.N%x.Block == 0 {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if out.Reset(); err == nil {
		err = gob.NewEncoder(&out).Encode(x)
	}
	if err != nil {
		return err
	}
	trailer := binary.LittleEndian.AppendUint64(nil, uint64(end))
	w.Write(out.Bytes())
	w.Write(binary.LittleEndian.AppendUint32(trailer, crc32.Checksum(append(out.Bytes(), trailer...), castagnoli)))
	return w.Flush()
}

// openBlocks opens a file of records of so many bytes.
func openBlocks(name string, size int) (*blocks, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	x := &blocks{File: f, at: -1}
	if err := x.readIndex(); err != nil || x.i.Size != size || x.i.Name != filepath.Base(name) {
		f.Close()
		return nil, x.damaged()
	}
	return x, nil
}

func (bl *blocks) damaged() error { return fmt.Errorf("%s is damaged", bl.Name()) }

// readIndex reads what is behind the blocks.
func (bl *blocks) readIndex() error {
	info, err := bl.Stat()
	if err != nil {
		return err
	}
	tail := io.NewSectionReader(bl.File, max(0, info.Size()-trailerBytes), trailerBytes)
	var trailer [trailerBytes]byte
	if _, err := io.ReadFull(tail, trailer[:]); err != nil {
		return err
	}
	end := int64(binary.LittleEndian.Uint64(trailer[:]))
	if end < 0 || end > info.Size()-trailerBytes {
		return bl.damaged()
	}
	index := make([]byte, info.Size()-4-end)
	if _, err := bl.File.ReadAt(index, end); err != nil {
		return err
	}
	if crc32.Checksum(index, castagnoli) != binary.LittleEndian.Uint32(trailer[8:]) {
		return bl.damaged()
	}
	return gob.NewDecoder(bytes.NewReader(index)).Decode(&bl.i)
}

// load reads a block.
func (bl *blocks) load(block int) error {
	if block == bl.at {
		return nil
	}
	if bl.at = -1; block >= len(bl.i.Ends) {
		return io.ErrUnexpectedEOF
	}
	from := int64(0)
	if block > 0 {
		from = bl.i.Ends[block-1]
	}
	bl.raw = append(bl.raw[:0], make([]byte, bl.i.Ends[block]-from)...)
	bl.some = append(bl.some[:0], make([]byte, min(bl.i.Block, bl.i.N-block*bl.i.Block)*bl.i.Size)...)
	if _, err := bl.File.ReadAt(bl.raw, from); err != nil {
		return err
	}
	if crc32.Checksum(bl.raw, castagnoli) != bl.i.Sums[block] {
		return bl.damaged()
	}
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(bl.raw)), bl.some); err != nil {
		return bl.damaged()
	}
	bl.at = block
	return nil
}

// ReadAt reads the records as they were before they were compressed.
func (bl *blocks) ReadAt(dst []byte, off int64) (n int, err error) {
	whole := int64(bl.i.Block) * int64(bl.i.Size)
	for n < len(dst) {
		if err := bl.load(int(off / whole)); err != nil {
			return n, err
		}
		k := copy(dst[n:], bl.some[min(off%whole, int64(len(bl.some))):])
		if k == 0 {
			return n, io.ErrUnexpectedEOF
		}
		n, off = n+k, off+int64(k)
	}
	return n, nil
}

// record returns record i, valid until the next call of a method.
func (bl *blocks) record(i int) ([]byte, error) {
	if err := bl.load(i / bl.i.Block); err != nil {
		return nil, err
	}
	k := i % bl.i.Block * bl.i.Size
	return bl.some[k : k+bl.i.Size : k+bl.i.Size], nil
}

// before returns how many records are less than all that begin with a key.
func (bl *blocks) before(key []byte) (int, error) {
	rank := func(all []byte) int {
		return sort.Search(len(all)/bl.i.Size, func(i int) bool { return bytes.Compare(all[i*bl.i.Size:][:len(key)], key) >= 0 })
	}
	block := rank(bl.i.Firsts) - 1
	if block < 0 {
		return 0, nil
	}
	if err := bl.load(block); err != nil {
		return 0, err
	}
	return block*bl.i.Block + rank(bl.some), nil
}

// find returns the number of the record that is a key.
func (bl *blocks) find(key []byte) (i int, ok bool, err error) {
	if i, err = bl.before(key); err != nil || i == bl.i.N {
		return 0, false, err
	}
	b, err := bl.record(i)
	return i, bytes.Equal(b, key), err
}

// recordsOf returns the records of files, to be merged.
func recordsOf(files []*blocks) (all []*records) {
	return lists.Map(files, func(x *blocks) *records { return &records{f: x, size: x.i.Size, n: x.i.N} })
}

// between returns the records of files from one key up to another one, to be merged, and how many are before them.
func between(files []*blocks, from, to []byte) (all []*records, before int, err error) {
	all = recordsOf(files)
	for i, x := range files {
		if all[i].first, err = x.before(from); err != nil {
			return nil, 0, err
		}
		if all[i].n, err = x.before(to); err != nil {
			return nil, 0, err
		}
		before += all[i].first
	}
	return all, before, nil
}

// openAll opens files; lost says whether some may not be there.
func openAll(names []string, size int, lost bool) (files []*blocks, err error) {
	for _, name := range names {
		x, err := openBlocks(name, size)
		if lost && os.IsNotExist(err) {
			continue
		}
		if err != nil {
			closeAll(files)
			return nil, err
		}
		files = append(files, x)
	}
	return files, nil
}

func closeAll(files []*blocks) {
	for _, x := range files {
		x.Close()
	}
}

func countAll(files []*blocks) int { return lists.Sum(files, func(x *blocks) int { return x.i.N }) }
