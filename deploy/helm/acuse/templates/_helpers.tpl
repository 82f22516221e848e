{{- define "acuse.labels" -}}
app.kubernetes.io/name: acuse
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "acuse.image" -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
{{- end }}

{{- define "acuse.pod" -}}
serviceAccountName: {{ .Release.Name }}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
imagePullSecrets:
  {{- toYaml .Values.image.pullSecrets | nindent 2 }}
nodeSelector:
  {{- toYaml .Values.nodeSelector | nindent 2 }}
tolerations:
  {{- toYaml .Values.tolerations | nindent 2 }}
{{- end }}

{{- define "acuse.container" -}}
image: {{ include "acuse.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "acuse.mounts" -}}
- name: data
  mountPath: /var/lib/acuse
- name: tmp
  mountPath: /tmp
{{- if .Values.tlsSecret }}
- name: tls
  mountPath: /tls
  readOnly: true
{{- end }}
{{- if .Values.filesConfigMap }}
- name: files
  mountPath: /etc/acuse/files
  readOnly: true
{{- end }}
{{- if .Values.journalClaim }}
- name: journal
  mountPath: /journal
{{- end }}
{{- end }}

{{- define "acuse.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- if .Values.tlsSecret }}
- name: tls
  secret:
    secretName: {{ .Values.tlsSecret | quote }}
    defaultMode: 0440
{{- end }}
{{- if .Values.filesConfigMap }}
- name: files
  configMap:
    name: {{ .Values.filesConfigMap | quote }}
{{- end }}
{{- if .Values.journalClaim }}
- name: journal
  persistentVolumeClaim:
    claimName: {{ .Values.journalClaim | quote }}
{{- end }}
{{- end }}

{{- define "acuse.env" -}}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if .Values.tlsSecret }}
- name: ACUSE_TLS_CERT_FILE
  value: /tls/tls.crt
- name: ACUSE_TLS_KEY_FILE
  value: /tls/tls.key
{{- end }}
{{- if .Values.journalClaim }}
- name: ACUSE_JOURNAL
  value: /journal
{{- end }}
{{- end }}
