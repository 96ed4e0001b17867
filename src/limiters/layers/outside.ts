/** What stands outside of the cluster, or throttles nothing. */
import { type Attribution, attribution } from '../attribution.ts'
import { findIn, type LogRecord } from '../evidence/log-record.ts'
import type { StatusView } from '../evidence/status-view.ts'
import type { LayerRow } from '../layer-row.ts'

const FLOW_CONTROL = /^too many requests for cluster\((.*?)\), limited by flowControl\((.*)\)$/

function kubegateway(message: string): Attribution | null {
  const [, cluster, settings] = FLOW_CONTROL.exec(message) ?? []
  if (settings === undefined) return null
  const values = new Map(
    settings.split(',').map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  )
  const number = (key: string) => (values.has(key) ? Number(values.get(key)) : undefined)
  return attribution('external-proxy', 'kubegateway-flowcontrol', 'certain', {
    cluster,
    limiterName: values.get('name'),
    limiterType: values.get('type'),
    qps: number('qps'),
    burst: number('burst'),
    size: number('size'),
  })
}

export const externalProxy: LayerRow = {
  layer: 'external-proxy',
  needles: ['limited by flowControl('],
  messages: [kubegateway],
  sentences: [
    (record) => {
      const found = findIn(record, /too many requests for cluster\(.*?\), limited by flowControl\([^)]*\)/)
      return found && kubegateway(found[0])
    },
  ],
  reasons: {
    'html-429': {
      says: 'a proxy or load balancer in front of the API server answered, not the API server',
      proves:
        'the answer lacks the Audit-Id that every API server since 1.22 sends, or has what none sends: a Server header, HTML',
      doesNotProve: 'why the proxy refused',
      settledBy: 'the access log of the proxy',
      advice: 'ask the owner of the proxy for its limits per client and per connection',
    },
    'kubegateway-flowcontrol': {
      says: 'kubegateway, a proxy in front of the API server, refused the request by a flowControl of its own',
      proves: 'the request never reached the API server',
      advice: 'raise qps, burst or size of that flowControl in the UpstreamCluster of kubegateway',
    },
  },
}

const CLOUD_ERROR =
  /\b(ThrottlingException|Client\.RequestLimitExceeded|RequestLimitExceeded|TooManyRequestsException)\b/
const CLOUD_CODE = /\bOperationNotAllowed\b.*\b429\b/s

function cloud(record: LogRecord): Attribution | null {
  const code = findIn(record, CLOUD_ERROR)?.[1] ?? (findIn(record, CLOUD_CODE) ? 'OperationNotAllowed' : null)
  if (code !== null) return attribution('cloud-api', 'cloud-throttle', 'high', { code })
  // The words alone are too common; AWS and Google put their name for the error beside them.
  const rate = findIn(record, /\b(Throttling|rateLimitExceeded): Rate (?:exceeded|Limit Exceeded)/)
  return rate && attribution('cloud-api', 'cloud-throttle', 'high', { code: rate[1] })
}

export const cloudApi: LayerRow = {
  layer: 'cloud-api',
  needles: [
    'ThrottlingException',
    'RequestLimitExceeded',
    'TooManyRequestsException',
    'OperationNotAllowed',
    ': Rate exceeded',
    'rateLimitExceeded',
  ],
  lines: [cloud],
  reasons: {
    'cloud-throttle': {
      says: "the cloud provider's API throttles a controller; it is not the Kubernetes API",
      proves: 'the provider answered with its error for too many calls',
      advice: 'look at the quota of the account, and at how many controllers and clusters share it',
    },
  },
}

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

function expired(message: string, { code, reason }: StatusView): Attribution | null {
  const words = /^too old resource version: (\d+) \((\d+)\)/.exec(message)
  if (!words && !(reason === 'Expired' && (code === 410 || code === null))) return null
  return attribution('not-throttling', 'expired-resource-version', 'certain', {
    requested: words ? Number(words[1]) : undefined,
    oldest: words ? Number(words[2]) : undefined,
  })
}

export const notThrottling: LayerRow = {
  layer: 'not-throttling',
  needles: ['too old resource version: '],
  messages: [expired],
  reasons: {
    'expired-resource-version': {
      throttles: false,
      says: 'the resource version asked for is gone; the client lists again. No throttling',
      proves: 'the history that the request needs has been compacted, or has left the watch cache',
      advice:
        'nothing for a single one; a client that is always late needs smaller pages, or fewer pauses between them',
    },
    'cilium-delete-not-found': {
      throttles: false,
      says: 'the Cilium agent was told to delete an endpoint that is gone already. No throttling',
      proves: 'the call was served; kubelet sends at least two deletes for each pod',
      advice: 'nothing; from Cilium 1.18 on such calls are not counted any more',
    },
  },
}

/** Words of an answer with 429 that none of the rows before knows. */
const UNEXPLAINED = /\b429 Too Many Requests\b|\breturned error: 429\b|\bunexpected (?:HTTP )?status(?: code)?:? 429\b/

export const unknownLayer: LayerRow = {
  layer: 'unknown',
  needles: ['429 Too Many Requests', 'returned error: 429', 'unexpected status', 'unexpected HTTP status'],
  sentences: [
    (record) => (findIn(record, UNEXPLAINED) ? attribution('unknown', 'unexplained-429', 'low', { code: 429 }) : null),
  ],
  reasons: {
    'unexplained-429': {
      says: 'somebody answered 429; the line does not tell who, and to whom',
      proves: 'an answer with status 429',
      doesNotProve: 'that it was the Kubernetes API: any HTTP server answers so',
      settledBy:
        'headers and body of the answer: at -v=8 of a client of Kubernetes, or with curl -i; the audit event with the same audit-ID',
      advice: 'collect the headers and the body of the answer and pipe them into kubectl apf explain-429',
    },
  },
}
