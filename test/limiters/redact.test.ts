import { describe, expect, it } from 'vitest'
import { redact, redactFields } from '../../src/limiters/evidence/redact.ts'

const SECRET = 'hunter2hunter2'
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl'

describe('credentials', () => {
  it.each([
    `Authorization: Bearer ${SECRET}`,
    `authorization: Basic ${SECRET}`,
    `> Authorization: Digest username="bob", response="${SECRET}"`,
    `Proxy-Authorization: Negotiate ${SECRET}`,
    `curl -v -XGET -H "Authorization: Bearer ${SECRET}" https://server/api`,
    `curl -H 'X-Api-Key: ${SECRET}' https://server/api`,
    `X-Auth-Token: ${SECRET}`,
    `X-Amz-Security-Token: ${SECRET}`,
    `Cookie: session=${SECRET}; other=${SECRET}`,
    `Set-Cookie: id=${SECRET}; HttpOnly`,
    `{"headers":{"Authorization":["Bearer ${SECRET}"],"Cookie":["a=${SECRET}"]}}`,
    `{"token":"${SECRET}","kind":"TokenRequest"}`,
    `{\\"access_token\\":\\"${SECRET}\\"}`,
    `{"client-key-data":"${SECRET}","idToken":"${SECRET}","password": "${SECRET}"}`,
    `GET https://server/api?access_token=${SECRET}&limit=500`,
    `GET https://server/api?limit=500&token=${SECRET}`,
    `https://bucket.example/x?X-Amz-Credential=${SECRET}&X-Amz-Signature=${SECRET}`,
    `https://bucket.example/x?sig=${SECRET}`,
    `URL="https://bob:${SECRET}@server:6443/api/v1/pods"`,
    `GET:https://${SECRET}@server/api`,
    `kubectl --token=${SECRET} get pods`,
    `kubectl --token ${SECRET} get pods`,
    `curl -u bob:${SECRET} https://server`,
    `curl --user 'bob:${SECRET}' https://server`,
    `{\\"Cookie\\":[\\"a=${SECRET}\\"],\\"token\\":\\"${SECRET}\\"}`,
    `{"token":"${SECRET}`,
    `{"Cookie":"a=1; b=${SECRET}`,
    `client_secret=${SECRET} refresh_token=${SECRET}`,
    `apiKey: ${SECRET}`,
    `secret="${SECRET}" reason="x"`,
    `bearer ${SECRET}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN EC PRIVATE KEY-----\n${SECRET}`,
    `headers=map[Authorization:[Bearer ${SECRET}] Accept:[*/*]]`,
    `401 Authorization: Digest username="bob", response="${SECRET}"`,
    `Authorization%3A%20Bearer%20${SECRET}`,
    `https://server/x?next=/y%26token%3D${SECRET}`,
    `https://server/x?code=${SECRET}&key=${SECRET}`,
    `https://server/x?auth=${SECRET}`,
    `curl -ubob:${SECRET} https://server`,
    `pwd=${SECRET}`,
    `{"access_token":["a","${SECRET}"]}`,
    `map[limit:[5] token:[${SECRET}]]`,
    `.dockerconfigjson: {"auths":{"registry":{"auth":"${SECRET}"}}}`,
    `{\\"auth\\":\\"${SECRET}\\"}`,
    ...['ghp_', 'ghs_', 'github_pat_', 'glpat-', 'hvs.', 'xoxb-', 'AKIA', 'AIza'].map(
      (start) => `x ${start}${SECRET} y`,
    ),
  ])('are taken out of %s', (text) => {
    expect(redact(text)).not.toContain(SECRET)
    expect(redact(text)).toContain('[redacted]')
  })

  it.each([JWT, `token ${JWT} rejected`, `"${JWT}"`])('are recognised by themselves: %s', (text) => {
    expect(redact(text)).not.toContain('eyJ')
  })

  it('are taken out of every field', () => {
    const fields = { url: `https://s/?token=${SECRET}`, list: [{ key: `Bearer ${SECRET}` }], count: 3, none: null }
    expect(JSON.stringify(redactFields(fields))).not.toContain(SECRET)
    expect(redactFields(fields)).toMatchObject({ count: 3, none: null })
  })
})

describe('what is none', () => {
  it.each([
    'Waited for 1.2s due to client-side throttling, not priority and fairness, request: GET:https://10.96.0.1:443/api/v1/namespaces/shop/secrets?limit=500',
    'Too many requests: limit reached on type User for key system:serviceaccount:shop:reporter',
    'secrets "token-429" not found',
    'list of secrets: 3 items',
    'GET https://server/api/v1/namespaces/shop/serviceaccounts/bob/token 429 Too Many Requests in 3 milliseconds',
    'FlowSchema UID: "7f2d6c1e-0b34-4d0f-9a6b-2f6f3f1c9d10"',
    'audit-ID="4c785f74-3d46-4ee1-8cc7-2bbe9b157a4b" userAgent="kubelet/v1.31.4"',
    '[PUT /endpoint/{id}][429] putEndpointIdTooManyRequests',
    'bearer of bad news',
    'kubectl get pods --user-agent x -n shop',
    '429 code=429 key="shop/web-0" auth=rbac ghp_x digest=sha256:0123456789abcdef',
    'Too many requests: limit reached on type Namespace for key shop',
    'kubectl get pods -updates',
  ])('stays: %s', (text) => expect(redact(text)).toBe(text))
})
