package rows

// A Multi finds rows by a key that several may share: an [Index] leads to the
// newest row with a key, and a [Link] in each row to the others. It goes by
// the rows' identities, which stay the same when rows move.
type Multi struct {
	heads *Index
	link  func(id uint32) *Link
}

// A Link is a row's place among those with the same key. Its zero value is of
// a row alone.
type Link struct {
	newer, older uint32 // identities + 1; 0 is none
}

// NewMulti returns an empty Multi. link returns the Link in a row.
func NewMulti(link func(id uint32) *Link) *Multi {
	return &Multi{NewIndex(), link}
}

// Head returns the newest row with a hash for which same holds.
func (m *Multi) Head(hash uint32, same func(id uint32) bool) (id uint32, ok bool) {
	for i := m.heads.First(hash); ; i++ {
		id, ok := m.heads.Next(&i, hash)
		if !ok || same(id) {
			return id, ok
		}
	}
}

// Older returns the row that follows in the order from new to old.
func (m *Multi) Older(id uint32) (older uint32, ok bool) {
	l := m.link(id)
	return l.older - 1, l.older != 0
}

// Add adds a row whose key has this hash. same must hold for the rows with
// the same key.
func (m *Multi) Add(hash, id uint32, same func(id uint32) bool) {
	l := m.link(id)
	*l = Link{}
	head, ok := m.Head(hash, same)
	if !ok {
		m.heads.Add(hash, id)
		return
	}
	l.older = head + 1
	m.link(head).newer = id + 1
	m.heads.Replace(hash, head, id)
}

// Remove removes a row, given the hash under which it was added.
func (m *Multi) Remove(hash, id uint32) {
	l := m.link(id)
	if l.older != 0 {
		m.link(l.older - 1).newer = l.newer
	}
	switch {
	case l.newer != 0:
		m.link(l.newer - 1).older = l.older
	case l.older != 0:
		m.heads.Replace(hash, id, l.older-1)
	default:
		m.heads.Remove(hash, id)
	}
	*l = Link{}
}

func (m *Multi) usage() Usage { return m.heads.usage() }
