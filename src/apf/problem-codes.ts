/**
 * Codes of the problems that reading objects finds: what the API server refuses, drops or changes before it validates.
 * A code never changes its meaning.
 */
export const PROBLEM = {
  /** No kind or apiVersion, or none that the group flowcontrol.apiserver.k8s.io has. The object is not read. */
  notRecognized: 'APF100',
  /** A field that this version of the API does not have; the server drops it, under strict validation refuses it. */
  unknownField: 'APF101',
  /** A value of the wrong type. The server refuses the whole object. */
  wrongType: 'APF102',
  /** A key that stands twice in one mapping; kubectl silently takes the last. */
  duplicateKey: 'APF103',
  /** The API version is not served by the Kubernetes version in question. */
  notServed: 'APF104',
  /** The API version is served, but deprecated. */
  deprecatedVersion: 'APF105',
  /** A written value that the server replaces by a default. */
  replacedByDefault: 'APF106',
  /** Metadata that the server drops. */
  ignoredMetadata: 'APF107',
  /** There is no spec; the server reads an empty one. */
  noSpec: 'APF108',
  /** No name: the server refuses the object, or makes up a name. Nothing can refer to it, so it is not used. */
  nameless: 'APF109',
} as const
