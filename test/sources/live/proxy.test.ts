import { describe, expect, it } from 'vitest'
import { isSourceFailure } from '../../../src/sources/failure.ts'
import { NO_CLUSTER } from '../../../src/sources/live/kubeconfig/model.ts'
import { proxyFor } from '../../../src/sources/live/proxy.ts'
import { serverUrl } from '../../../src/sources/live/server-url.ts'

function proxyText(server: string, env: Record<string, string>): string | null {
  const url = serverUrl({ ...NO_CLUSTER, server })
  if (isSourceFailure(url)) throw new Error(url.why)
  const proxy = proxyFor(url, '', env)
  if (proxy !== null && isSourceFailure(proxy)) throw new Error(proxy.why)
  return proxy?.text ?? null
}

describe('NO_PROXY', () => {
  it.each([
    ['https://api.example.com', '', true],
    ['https://api.example.com', '*', false],
    ['https://api.example.com', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://api.example.com', '*.example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://api.example.com:6443', 'other, API.example.com:6443', false],
    ['https://api.example.com:6443', 'api.example.com:443', true],
    ['https://10.1.2.3', '10.0.0.0/8', false],
    ['https://11.1.2.3', '10.0.0.0/8', true],
    ['https://10.1.2.3', '10.0.0.0/99', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', false],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://[fd00::1]', 'fd00::/8', false],
    ['https://[fd00::1]', 'fd00::1', false],
    ['https://[fd00::1]', '[fd00::1]:443', false],
  ])('%s with %j: by proxy %s', (server, exceptions, byProxy) => {
    const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: exceptions }
    expect(proxyText(server, env)).toBe(byProxy ? 'http://proxy:3128' : null)
  })
})

describe('the proxy of the environment', () => {
  it.each([
    ['https://a', { HTTPS_PROXY: 'proxy:3128' }, 'http://proxy:3128'],
    ['https://a', { https_proxy: 'https://proxy' }, 'https://proxy'],
    ['https://a', { HTTP_PROXY: 'http://proxy' }, null],
    ['http://a', { HTTP_PROXY: 'http://proxy' }, 'http://proxy'],
    ['http://a', { HTTPS_PROXY: 'http://proxy' }, null],
    ['https://localhost', { HTTPS_PROXY: 'http://proxy' }, null],
    ['https://127.8.0.1', { HTTPS_PROXY: 'http://proxy' }, null],
    ['https://[::1]', { HTTPS_PROXY: 'http://proxy' }, null],
    ['https://a', { HTTPS_PROXY: 'http://user:secret@proxy' }, 'http://proxy'],
  ])('%s with %j: %s', (server, env, text) => {
    expect(proxyText(server, env as Record<string, string>)).toBe(text)
  })
})

describe('the address of a server', () => {
  it.each([
    ['https://a:6443/', 'https://a:6443'],
    ['https://a/k8s/clusters/c-1', 'https://a/k8s/clusters/c-1'],
    ['https://user:secret@a', 'https://a'],
    ['localhost:8080', 'http://localhost:8080'],
    ['https://[fd00::1]:6443', 'https://[fd00::1]:6443'],
  ])('%s is said as %s', (server, text) => {
    expect(serverUrl({ ...NO_CLUSTER, server })).toMatchObject({ text })
  })

  it('is https without a scheme where the cluster says anything of TLS', () => {
    expect(serverUrl({ ...NO_CLUSTER, server: 'a:6443', certificateAuthorityData: 'x' })).toMatchObject({
      secure: true,
      port: 6443,
    })
  })
})
