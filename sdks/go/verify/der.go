package verify

import (
	"encoding/asn1"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// element is one element of DER (X.690 §10).
type element struct {
	tag            byte
	content, whole []byte
	check          string
}

const derDepthMax = 4 // bytes of a length

// readElement reads the first element of some bytes, and says what is behind it.
func readElement(data []byte, check string) (e element, rest []byte) {
	need(len(data) >= 2, check, "the DER is cut short")
	need(data[0]&0x1f != 0x1f, check, "a tag of several bytes")
	length, at := int(data[1]), 2
	if length > 127 {
		count := length - 128
		need(count > 0 && count <= derDepthMax && len(data) >= 2+count, check, "a length of the DER")
		length = 0
		for _, each := range data[2 : 2+count] {
			length = length<<8 | int(each)
		}
		need(length > 127 && data[2] != 0, check, "a length of the DER is not in its shortest form")
		at += count
	}
	need(len(data)-at >= length, check, "the DER is cut short")
	return element{data[0], data[at : at+length], data[:at+length], check}, data[at+length:]
}

// only is the one element of some bytes.
func only(data []byte, check string) element {
	e, rest := readElement(data, check)
	need(len(rest) == 0, check, "bytes behind the DER")
	return e
}

func (e element) children(tag byte) []element {
	need(e.tag == tag, e.check, "another element of the DER is expected")
	var found []element
	for rest := e.content; len(rest) > 0; {
		var child element
		child, rest = readElement(rest, e.check)
		found = append(found, child)
	}
	return found
}

// sequence are the children: at least so many.
func (e element) sequence(least int) []element {
	found := e.children(tagSequence)
	need(len(found) >= least, e.check, "the DER lacks an element")
	return found
}

const (
	tagInteger       = 0x02
	tagOctets        = 0x04
	tagOID           = 0x06
	tagSequence      = 0x30
	tagSet           = 0x31
	tagTime          = 0x18
	tagContext       = 0xa0
	tagContextZero   = 0x80
	tagDirectoryName = 0xa4
)

// oid reads an object identifier, whose numbers may be of any size (X.690 §8.19).
func (e element) oid() string {
	need(e.tag == tagOID && len(e.content) > 0, e.check, "no object identifier")
	var numbers []string
	value, begun := new(big.Int), false
	for _, each := range e.content {
		need(begun || each != 0x80, e.check, "an object identifier is not in its shortest form")
		value.Or(value.Lsh(value, 7), big.NewInt(int64(each&0x7f)))
		begun = each&0x80 != 0
		if begun {
			continue
		}
		if numbers == nil {
			first := min(2, new(big.Int).Div(value, big.NewInt(40)).Int64())
			numbers = append(numbers, strconv.FormatInt(first, 10))
			value.Sub(value, big.NewInt(40*first))
		}
		numbers = append(numbers, value.String())
		value = new(big.Int)
	}
	need(!begun, e.check, "an object identifier is cut short")
	return strings.Join(numbers, ".")
}

func (e element) integer() *big.Int {
	var value *big.Int
	rest, err := asn1.Unmarshal(e.whole, &value)
	need(e.tag == tagInteger && err == nil && len(rest) == 0, e.check, "no integer")
	return value
}

func (e element) is(value int64) bool { return e.integer().Cmp(big.NewInt(value)) == 0 }

func (e element) octets() []byte {
	need(e.tag == tagOctets, e.check, "no octets")
	return e.content
}

// time reads a GeneralizedTime in DER: UTC, with a fraction that does not end in zero.
func (e element) time() time.Time {
	const layout = "20060102150405.999999999Z"
	moment, err := time.Parse(layout, string(e.content))
	need(e.tag == tagTime && err == nil && moment.Format(layout) == string(e.content), e.check, "no time in DER")
	return moment
}
