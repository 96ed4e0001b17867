import type { Provider, ProviderObject } from './provider.ts'

/** Source: manifests of the operators of OpenShift 4, such as openshift/cluster-kube-apiserver-operator. */
const RECONCILED: ProviderObject['reconciled'] = { by: 'the cluster-version-operator', unless: null }
const CHANGE = 'the operator writes it back; make a FlowSchema of your own with a smaller matchingPrecedence instead'

export const OPENSHIFT: Provider = {
  name: 'OpenShift',
  objects: [
    level('openshift-control-plane-operators', 'seats for operators of the control plane'),
    schema('openshift-apiserver', 'requests of the OpenShift API server'),
    schema('openshift-apiserver-operator', 'its operator'),
    schema('openshift-apiserver-sar', 'its token and access reviews, exempt so that they do not wait for themselves'),
    schema('openshift-authentication-operator', 'operator of the authentication'),
    schema('openshift-controller-manager', 'controllers of OpenShift'),
    schema('openshift-etcd-operator', 'operator of etcd'),
    schema('openshift-kube-apiserver-operator', 'operator of the API server'),
    schema('openshift-monitoring-metrics', 'scrapes of metrics by the monitoring of the cluster'),
    schema('openshift-oauth-apiserver', 'requests of the OAuth API server'),
    schema(
      'openshift-oauth-apiserver-sar',
      'its token and access reviews, exempt so that they do not wait for themselves',
    ),
    schema('openshift-oauth-server', 'requests of the OAuth server'),
    schema('openshift-ovn-kubernetes', 'the network of the cluster'),
    schema('openshift-sdn', 'the network of the cluster, in older releases'),
  ],
}

function schema(name: string, purpose: string): ProviderObject {
  return { kind: 'FlowSchema', name, purpose, reconciled: RECONCILED, change: CHANGE }
}

function level(name: string, purpose: string): ProviderObject {
  return { ...schema(name, purpose), kind: 'PriorityLevelConfiguration' }
}
