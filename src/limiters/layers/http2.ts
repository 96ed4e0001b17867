/**
 * Connections that a server closes for balance.
 * Source: kubernetes/apiserver pkg/server/filters/goaway.go; golang.org/x/net/http2
 */
import { attribution } from '../attribution.ts'
import { findIn } from '../evidence/log-record.ts'
import type { LayerRow } from '../layer-row.ts'

const GOAWAY = /http2: server sent GOAWAY and closed the connection; LastStreamID=(\d+), ErrCode=(\w+)/

export const http2: LayerRow = {
  layer: 'http2',
  needles: ['server sent GOAWAY'],
  lines: [
    (record) => {
      const found = findIn(record, GOAWAY)
      return found && attribution('http2', 'goaway', 'certain', { lastStreamId: Number(found[1]), errCode: found[2] })
    },
  ],
  reasons: {
    goaway: {
      throttles: false,
      says: 'the server closed the connection so that the client opens another; no limit',
      proves: 'the server runs with --goaway-chance, or is shutting down',
      doesNotProve: 'any overload',
      advice: 'nothing: clients connect again by themselves',
    },
  },
}
