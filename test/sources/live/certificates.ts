/** X.509 certificates for tests, made on the spot so that no private key is ever stored. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

export interface Issued {
  /** PEM. */
  certificate: string
  key: string
}

export interface Wanted {
  commonName: string
  organizations?: readonly string[]
  /** Names and IPv4 addresses of a server. */
  names?: readonly string[]
  notBefore?: Date
  notAfter?: Date
}

export interface Authority extends Issued {
  issue(wanted: Wanted): Issued
}

const HOUR = 3_600_000

export function createAuthority(commonName: string): Authority {
  const subject = name(commonName, [])
  const { privateKey, publicKey } = keyPair()
  const self = certificate(subject, subject, { commonName }, publicKey, privateKey, true)
  return {
    certificate: pem('CERTIFICATE', self),
    key: exported(privateKey),
    issue(wanted) {
      const pair = keyPair()
      const own = name(wanted.commonName, wanted.organizations ?? [])
      const der = certificate(subject, own, wanted, pair.publicKey, privateKey, false)
      return { certificate: pem('CERTIFICATE', der), key: exported(pair.privateKey) }
    },
  }
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function exported(key: KeyObject): string {
  return createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' }))
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
}

function certificate(
  issuer: Buffer,
  subject: Buffer,
  { names = [], notBefore = new Date(Date.now() - HOUR), notAfter = new Date(Date.now() + 24 * HOUR) }: Wanted,
  publicKey: KeyObject,
  signer: KeyObject,
  isAuthority: boolean,
): Buffer {
  const toBeSigned = sequence(
    tagged(0xa0, integer(2)),
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ format: 'der', type: 'spki' }),
    tagged(0xa3, sequence(...extensions(names, isAuthority))),
  )
  const signature = sign('sha256', toBeSigned, signer)
  return sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature))
}

function extensions(names: readonly string[], isAuthority: boolean): Buffer[] {
  const constraints = extension('2.5.29.19', isAuthority ? sequence(tagged(0x01, Buffer.from([0xff]))) : sequence())
  if (names.length === 0) return [constraints]
  const entries = names.map((entry) =>
    isIP(entry) === 4 ? tagged(0x87, Buffer.from(entry.split('.').map(Number))) : tagged(0x82, Buffer.from(entry)),
  )
  return [constraints, extension('2.5.29.17', sequence(...entries))]
}

function extension(oid: string, content: Buffer): Buffer {
  return sequence(objectIdentifier(oid), tagged(0x04, content))
}

function name(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (oid: string, value: string) =>
    tagged(0x31, sequence(objectIdentifier(oid), tagged(0x0c, Buffer.from(value))))
  return sequence(...organizations.map((value) => attribute('2.5.4.10', value)), attribute('2.5.4.3', commonName))
}

function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return tagged(0x18, Buffer.from(text))
}

function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const groups = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80)
  return groups
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]))
}

function bitString(content: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), content]))
}

function sequence(...items: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items))
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const header =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(header), content])
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

/** ecdsa-with-SHA256, 1.2.840.10045.4.3.2. */
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'))
