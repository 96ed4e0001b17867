import { describe, expect, it } from 'vitest'
import { isRefused, requestInfo } from '../../src/apf/request-info.ts'
import { requestPhrase } from '../../src/kubectl/phrase.ts'

describe('the phrase of a request', () => {
  it.each([
    ['GET', '/api/v1/namespaces/shop/pods', 'LIST pods in shop'],
    ['GET', '/api/v1/pods', 'LIST pods in all namespaces'],
    ['GET', '/api/v1/pods?watch=1', 'WATCH pods in all namespaces'],
    ['GET', '/api/v1/nodes', 'LIST nodes'],
    ['GET', '/api/v1/namespaces/shop/pods/web-0/log', 'GET pods/log web-0 in shop'],
    ['GET', '/api/v1/pods/web-0', 'GET pods web-0 without a namespace'],
    [
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/candle-system/leases/candle-lock',
      'UPDATE leases.coordination.k8s.io candle-lock in candle-system',
    ],
    ['PATCH', '/api/v1/nodes/n7/status', 'PATCH nodes/status n7'],
    ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web/scale', 'PATCH deployments.apps/scale web in shop'],
    ['DELETE', '/api/v1/namespaces/shop', 'DELETE namespaces shop'],
    ['PUT', '/api/v1/namespaces/shop/finalize', 'UPDATE namespaces/finalize shop'],
    ['POST', '/api/v1/namespaces', 'CREATE namespaces'],
    ['GET', '/apis/example.com/v1/widgets', 'LIST widgets.example.com without a namespace'],
    ['OPTIONS', '/api/v1/namespaces/shop/pods', '(no verb) pods in shop'],
    ['GET', '/healthz', 'get /healthz'],
    ['POST', '/apis/apps', 'post /apis/apps'],
  ])('%s %s is "%s"', (method, url, phrase) => {
    const request = requestInfo(method, url)
    expect(isRefused(request) ? request.refused : requestPhrase(request)).toBe(phrase)
  })
})
