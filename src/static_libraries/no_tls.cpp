// libmicrohttpd refers to gnutls, of which Debian has no complete static library. petrel-host serves no HTTPS: only
// gnutls_global_init() is called, at the start; the other functions end the program.
#include <cstdlib>

extern "C" {

int gnutls_global_init() { return 0; }
void gnutls_global_deinit() {}

[[noreturn]] void gnutls_alpn_set_protocols() { std::abort(); }
[[noreturn]] void gnutls_bye() { std::abort(); }
[[noreturn]] void gnutls_certificate_allocate_credentials() { std::abort(); }
[[noreturn]] void gnutls_certificate_free_credentials() { std::abort(); }
[[noreturn]] void gnutls_certificate_get_peers() { std::abort(); }
[[noreturn]] void gnutls_certificate_server_set_request() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_dh_params() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_retrieve_function2() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_retrieve_function3() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_x509_key_mem() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_x509_key_mem2() { std::abort(); }
[[noreturn]] void gnutls_certificate_set_x509_trust_mem() { std::abort(); }
[[noreturn]] void gnutls_cipher_get() { std::abort(); }
[[noreturn]] void gnutls_credentials_set() { std::abort(); }
[[noreturn]] void gnutls_deinit() { std::abort(); }
[[noreturn]] void gnutls_dh_params_deinit() { std::abort(); }
[[noreturn]] void gnutls_dh_params_import_pkcs3() { std::abort(); }
[[noreturn]] void gnutls_dh_params_init() { std::abort(); }
[[noreturn]] void gnutls_handshake() { std::abort(); }
[[noreturn]] void gnutls_init() { std::abort(); }
[[noreturn]] void gnutls_malloc() { std::abort(); }
[[noreturn]] void gnutls_priority_deinit() { std::abort(); }
[[noreturn]] void gnutls_priority_init() { std::abort(); }
[[noreturn]] void gnutls_priority_set() { std::abort(); }
[[noreturn]] void gnutls_protocol_get_version() { std::abort(); }
[[noreturn]] void gnutls_psk_allocate_server_credentials() { std::abort(); }
[[noreturn]] void gnutls_psk_free_server_credentials() { std::abort(); }
[[noreturn]] void gnutls_psk_set_server_credentials_function() { std::abort(); }
[[noreturn]] void gnutls_record_check_pending() { std::abort(); }
[[noreturn]] void gnutls_record_get_direction() { std::abort(); }
[[noreturn]] void gnutls_record_recv() { std::abort(); }
[[noreturn]] void gnutls_record_send() { std::abort(); }
[[noreturn]] void gnutls_session_get_ptr() { std::abort(); }
[[noreturn]] void gnutls_session_set_ptr() { std::abort(); }
[[noreturn]] void gnutls_strerror() { std::abort(); }
[[noreturn]] void gnutls_transport_set_int2() { std::abort(); }

}  // extern "C"
