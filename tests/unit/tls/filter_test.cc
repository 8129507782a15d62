/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <openssl/ssl.h>

using Catch::Matchers::Contains;

namespace
{
const uint8_t shared_key[LT_TLS_PSK_SIZE] = {1, 2, 3};
const uint8_t other_key[LT_TLS_PSK_SIZE] = {4, 5, 6};

/* Settings that fit each other; a test spoils them. */
struct world {
    certificates made;
    certificate_files files;
    lt_tls_setup caller{}, listener{};

    explicit world(const certificate_options &options = {}) : files(made.make("listener", options))
    {
        caller.ca_file = made.ca.c_str();
        caller.name = "localhost";
        listener.listener = true;
        listener.cert_file = files.certificate.c_str();
        listener.key_file = files.key.c_str();
    }

    /* What the caller says about a listener that it must refuse; it has sent nothing of ours. */
    std::string refusal(int64_t wall_s = time(nullptr)) const
    {
        context_holder caller_context(caller), listener_context(listener);
        end a(caller_context, wall_s), b(listener_context, wall_s);
        shake_hands(a, b);
        CHECK(lt_tls_filter_write(a.filter, "media", 5) == LIVETCP_ERR_TLS);
        CHECK(a.output().empty());
        return a.failure();
    }
};

struct key_world {
    lt_tls_setup caller{}, listener{};

    key_world()
    {
        caller.psk = listener.psk = shared_key;
        listener.listener = true;
    }
};

lt_tls_info info_of(const end &e)
{
    lt_tls_info info;
    lt_tls_filter_info(e.filter, &info);
    return info;
}

/* An OpenSSL client that counts the new keys it is told of. */
class foreign_caller
{
  public:
    explicit foreign_caller(int version = TLS1_3_VERSION)
    {
        SSL_CTX_set_max_proto_version(ctx_, version);
        ssl_ = SSL_new(ctx_);
        SSL_set_bio(ssl_, in_, out_);
        SSL_set_connect_state(ssl_);
        SSL_set_msg_callback(ssl_, on_message);
        SSL_set_msg_callback_arg(ssl_, this);
    }
    ~foreign_caller()
    {
        SSL_free(ssl_);
        SSL_CTX_free(ctx_);
    }
    foreign_caller(const foreign_caller &) = delete;
    foreign_caller &operator=(const foreign_caller &) = delete;

    void shake_hands(const end &listener)
    {
        while (SSL_do_handshake(ssl_) != 1 || listener.state() == LT_TLS_HANDSHAKE) {
            char *data;
            long size = BIO_get_mem_data(out_, &data);
            listener.receive(bytes(data, data + size));
            (void)BIO_reset(out_);
            read(listener.output());
        }
    }

    bytes read(const bytes &records)
    {
        bytes plaintext(1 << 17);
        size_t all = 0, size = 0;
        BIO_write(in_, records.data(), int(records.size()));
        while (SSL_read_ex(ssl_, &plaintext[all], plaintext.size() - all, &size) == 1)
            all += size;
        plaintext.resize(all);
        return plaintext;
    }

    int key_updates = 0;

  private:
    static void on_message(int written, int, int type, const void *data, size_t size, SSL *,
                           void *self)
    {
        if (!written && type == SSL3_RT_HANDSHAKE && size &&
            *static_cast<const uint8_t *>(data) == SSL3_MT_KEY_UPDATE)
            static_cast<foreign_caller *>(self)->key_updates++;
    }

    SSL_CTX *ctx_ = SSL_CTX_new(TLS_client_method());
    BIO *in_ = BIO_new(BIO_s_mem()), *out_ = BIO_new(BIO_s_mem());
    SSL *ssl_ = nullptr;
};

bytes bytes_of(uint64_t number)
{
    const uint8_t *begin = reinterpret_cast<const uint8_t *>(&number);
    return bytes(begin, begin + sizeof number);
}

/* An OpenSSL client whose records the test carries to a filter: what a foreign peer can send. */
std::string what_old_caller_gets(const context_holder &listener_context, int version)
{
    end listener(listener_context);
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(ctx, 0);
    SSL_CTX_set_min_proto_version(ctx, version);
    SSL_CTX_set_max_proto_version(ctx, version);
    SSL_CTX_set_cipher_list(ctx, "ALL:@SECLEVEL=0");
    SSL *ssl = SSL_new(ctx);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    SSL_set_connect_state(ssl);
    SSL_do_handshake(ssl);
    char *data;
    long size = BIO_get_mem_data(out, &data);
    REQUIRE(size > 0);
    lt_tls_filter_receive(listener.filter, reinterpret_cast<uint8_t *>(data), size_t(size));
    SSL_free(ssl);
    SSL_CTX_free(ctx);
    return listener.failure();
}
} // namespace

TEST_CASE("a certificate that is right opens the connection")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);

    CHECK(lt_tls_filter_write(caller.filter, "early", 5) == LIVETCP_ERR_BAD_STATE);
    shake_hands(caller, listener);
    REQUIRE(caller.state() == LT_TLS_OPEN);
    REQUIRE(listener.state() == LT_TLS_OPEN);
    CHECK(std::string(info_of(caller).version) == "TLSv1.3");
    CHECK(std::string(info_of(caller).subject) == "CN=localhost");
    CHECK(info_of(caller).fingerprint == w.files.fingerprint);
    CHECK_FALSE(info_of(caller).resumed);
    CHECK(std::string(info_of(listener).subject).empty());

    uint8_t here[LT_TLS_BINDING_SIZE], there[LT_TLS_BINDING_SIZE];
    REQUIRE(lt_tls_filter_binding(caller.filter, here));
    REQUIRE(lt_tls_filter_binding(listener.filter, there));
    CHECK(memcmp(here, there, sizeof here) == 0);
}

TEST_CASE("each write is one record up to 16 KiB, and comes out whole however it is cut")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    shake_hands(caller, listener);

    for (size_t size : {size_t(1), size_t(12), size_t(1200), size_t(8192), size_t(65537)}) {
        bytes sent(size);
        for (size_t i = 0; i < size; i++)
            sent[i] = uint8_t(i * 7);
        REQUIRE(lt_tls_filter_write(caller.filter, sent.data(), size) == LIVETCP_OK);
        bytes records = caller.output(), got;
        size_t count = (size + 16383) / 16384;
        CHECK(records.size() == size + 22 * count); /* RFC 8446 5.2: header 5, type 1, tag 16 */
        for (size_t at = 0, cut = 1; at < records.size(); at += cut, cut = cut * 3 % 1021 + 1) {
            size_t end = std::min(at + cut, records.size());
            listener.receive(bytes(records.begin() + long(at), records.begin() + long(end)));
            bytes piece = listener.read();
            got.insert(got.end(), piece.begin(), piece.end());
        }
        CHECK(got == sent);
    }
}

TEST_CASE("output that is written in pieces is neither lost nor doubled")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    shake_hands(caller, listener);

    bytes sent(5000, 9), records, got;
    REQUIRE(lt_tls_filter_write(caller.filter, sent.data(), sent.size()) == LIVETCP_OK);
    const uint8_t *data;
    size_t size;
    bool more = true;
    while ((size = lt_tls_filter_output(caller.filter, &data)) > 0) {
        size_t taken = std::min<size_t>(size, 700);
        records.insert(records.end(), data, data + taken);
        lt_tls_filter_written(caller.filter, taken);
        if (more) /* a write behind a rest */
            REQUIRE(lt_tls_filter_write(caller.filter, sent.data(), sent.size()) == LIVETCP_OK);
        more = false;
    }
    listener.receive(records);
    CHECK(listener.read() == bytes(10000, 9));
}

TEST_CASE("keys are replaced after so many records, which a foreign peer follows")
{
    world w;
    context_holder listener_context(w.listener);
    end listener(listener_context);
    foreign_caller caller;
    caller.shake_hands(listener);

    const int keys = 3;
    uint64_t came = 0;
    for (uint64_t i = 0; i < uint64_t(keys) * LT_TLS_RECORDS_PER_KEY; i++) {
        lt_tls_filter_write(listener.filter, &i, sizeof i);
        came += caller.read(listener.output()) == bytes_of(i);
    }
    CHECK(came == uint64_t(keys) * LT_TLS_RECORDS_PER_KEY);
    CHECK(caller.key_updates == keys - 1);
    CHECK(listener.state() == LT_TLS_OPEN);
}

TEST_CASE("a longer write counts its records, and TLS 1.2 keeps its keys")
{
    world w;
    context_holder listener_context(w.listener);
    int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    end listener(listener_context);
    foreign_caller caller(version);
    caller.shake_hands(listener);

    bytes sent(4 * 16384, 7);
    for (uint64_t i = 0; i < LT_TLS_RECORDS_PER_KEY - 4; i++) {
        lt_tls_filter_write(listener.filter, &i, 1);
        caller.read(listener.output());
    }
    for (int before : {0, 1}) {
        REQUIRE(lt_tls_filter_write(listener.filter, sent.data(), sent.size()) == LIVETCP_OK);
        CHECK(caller.read(listener.output()) == sent);
        CHECK(caller.key_updates == (version == TLS1_3_VERSION ? before : 0));
    }
}

TEST_CASE("the caller refuses what it does not trust, with words")
{
    SECTION("an authority that it does not know")
    {
        world w;
        certificates others;
        w.caller.ca_file = others.ca.c_str();
        CHECK_THAT(w.refusal(), Contains("unknown CA") && Contains("tls-ca"));
    }
    SECTION("a certificate that nobody signed")
    {
        certificate_options options;
        options.self_signed = true;
        world w(options);
        CHECK_THAT(w.refusal(), Contains("signed by itself"));
    }
    SECTION("another name")
    {
        world w;
        w.caller.name = "media.example";
        CHECK_THAT(w.refusal(), Contains("is not for media.example") && Contains("tls-name"));
    }
    SECTION("another address")
    {
        certificate_options options;
        options.name = "127.0.0.1";
        world w(options);
        w.caller.name = "127.0.0.2";
        CHECK_THAT(w.refusal(), Contains("is not for 127.0.0.2"));
    }
    SECTION("an expired one")
    {
        world w;
        CHECK_THAT(w.refusal(time(nullptr) + 48 * 3600), Contains("expired"));
    }
    SECTION("one of the future")
    {
        world w;
        CHECK_THAT(w.refusal(time(nullptr) - 48 * 3600), Contains("not valid yet"));
    }
    SECTION("another fingerprint")
    {
        world w;
        std::string other = w.made.make("other").fingerprint;
        w.caller.fingerprint = other.c_str();
        CHECK_THAT(w.refusal(), Contains("fingerprint") && Contains("differs"));
    }
    SECTION("the right fingerprint on an expired certificate")
    {
        world w;
        w.caller.fingerprint = w.files.fingerprint.c_str();
        CHECK_THAT(w.refusal(time(nullptr) + 48 * 3600), Contains("expired"));
    }
}

TEST_CASE("a fingerprint replaces authority and name; tls-insecure takes everything")
{
    certificate_options options;
    options.self_signed = true;
    world w(options);
    w.caller.ca_file = nullptr;
    w.caller.name = "media.example";
    SECTION("fingerprint")
    {
        w.caller.fingerprint = w.files.fingerprint.c_str();
    }
    SECTION("insecure")
    {
        w.caller.insecure = true;
    }
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    shake_hands(caller, listener);
    CHECK(caller.state() == LT_TLS_OPEN);
}

TEST_CASE("a listener with tls-ca demands a certificate and says whose it is")
{
    world w;
    w.listener.ca_file = w.made.ca.c_str();
    certificate_options options;
    options.name = "camera7";

    SECTION("shown")
    {
        certificate_files files = w.made.make("camera", options);
        w.caller.cert_file = files.certificate.c_str();
        w.caller.key_file = files.key.c_str();
        context_holder caller_context(w.caller), listener_context(w.listener);
        for (bool resumed : {false, true}) {
            end caller(caller_context), listener(listener_context);
            shake_hands(caller, listener);
            REQUIRE(listener.state() == LT_TLS_OPEN);
            CHECK(std::string(info_of(listener).subject) == "CN=camera7");
            CHECK(info_of(listener).fingerprint == files.fingerprint);
            CHECK(info_of(listener).resumed == resumed);
        }
    }
    SECTION("not shown")
    {
        context_holder caller_context(w.caller), listener_context(w.listener);
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_THAT(listener.failure(), Contains("caller has no certificate"));
        CHECK_THAT(caller.failure(), Contains("demands a certificate") && Contains("tls-cert"));
    }
    SECTION("of another authority")
    {
        certificates others;
        certificate_files files = others.make("camera", options);
        w.caller.cert_file = files.certificate.c_str();
        w.caller.key_file = files.key.c_str();
        context_holder caller_context(w.caller), listener_context(w.listener);
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_THAT(listener.failure(), Contains("unknown CA"));
        CHECK_THAT(caller.failure(), Contains("does not know the CA"));
    }
}

TEST_CASE("further connections resume, also after a listener's certificate was replaced")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    CHECK_FALSE(lt_tls_context_has_ticket(caller_context.context));
    {
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_FALSE(info_of(caller).resumed);
    }
    REQUIRE(lt_tls_context_has_ticket(caller_context.context));
    end first(caller_context), second(caller_context); /* with one ticket */
    for (end *caller : {&first, &second}) {
        end listener(listener_context);
        shake_hands(*caller, listener);
        CHECK(info_of(*caller).resumed);
        CHECK(info_of(listener).resumed);
    }
    w.made.make("listener");
    context_holder renewed(w.listener, listener_context.context);
    end caller(caller_context), listener(renewed);
    shake_hands(caller, listener);
    CHECK(info_of(caller).resumed);
}

TEST_CASE("who is not trusted any more does not come in by a ticket of before")
{
    world w;
    certificates others;
    certificate_files files = w.made.make("camera");
    std::string trusted = w.made.path("trusted.pem");
    const auto overwrite = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(w.made.ca, trusted);
    w.listener.ca_file = trusted.c_str();
    w.caller.cert_file = files.certificate.c_str();
    w.caller.key_file = files.key.c_str();
    context_holder caller_context(w.caller), listener_context(w.listener);
    {
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        REQUIRE(listener.state() == LT_TLS_OPEN);
    }
    REQUIRE(lt_tls_context_has_ticket(caller_context.context));
    {
        w.made.make("listener"); /* which says nothing about callers */
        context_holder renewed(w.listener, listener_context.context);
        end caller(caller_context), listener(renewed);
        shake_hands(caller, listener);
        CHECK(info_of(listener).resumed);
    }
    std::filesystem::copy_file(others.ca, trusted, overwrite);
    context_holder changed(w.listener, listener_context.context);
    end caller(caller_context), listener(changed);
    shake_hands(caller, listener);
    CHECK_THAT(listener.failure(), Contains("unknown CA"));
}

TEST_CASE("a passphrase replaces certificates, if both ends have the same")
{
    key_world w;
    SECTION("the same")
    {
        context_holder caller_context(w.caller), listener_context(w.listener);
        for (bool resumed : {false, true}) {
            end caller(caller_context), listener(listener_context);
            shake_hands(caller, listener);
            REQUIRE(caller.state() == LT_TLS_OPEN);
            REQUIRE(listener.state() == LT_TLS_OPEN);
            CHECK(info_of(caller).shared_key);
            (void)resumed;
        }
    }
    SECTION("different ones")
    {
        w.caller.psk = other_key;
        context_holder caller_context(w.caller), listener_context(w.listener);
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_THAT(listener.failure(), Contains("passphrases differ"));
        CHECK_THAT(caller.failure(), Contains("does not take this passphrase"));
    }
    SECTION("a caller without one")
    {
        w.caller.psk = nullptr;
        w.caller.insecure = true;
        context_holder caller_context(w.caller), listener_context(w.listener);
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_THAT(listener.failure(), Contains("caller has no passphrase"));
        CHECK(caller.state() == LT_TLS_FAILED);
    }
    SECTION("a listener with a certificate instead")
    {
        world other;
        context_holder caller_context(w.caller), listener_context(other.listener);
        end caller(caller_context), listener(listener_context);
        shake_hands(caller, listener);
        CHECK_THAT(caller.failure(), Contains("passphrase"));
        CHECK(lt_tls_filter_write(caller.filter, "media", 5) == LIVETCP_ERR_TLS);
    }
}

TEST_CASE("versions of TLS before 1.2 are refused, and before 1.3 with a passphrase")
{
    world w;
    key_world k;
    context_holder with_certificate(w.listener), with_key(k.listener);

    CHECK_THAT(what_old_caller_gets(with_certificate, TLS1_1_VERSION), Contains("too old"));
    CHECK_THAT(what_old_caller_gets(with_key, TLS1_2_VERSION), Contains("too old"));
}

TEST_CASE("a record that was altered, cut out or repeated delivers nothing and ends the connection")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    shake_hands(caller, listener);
    REQUIRE(lt_tls_filter_write(caller.filter, "one", 3) == LIVETCP_OK);
    bytes first = caller.output();
    REQUIRE(lt_tls_filter_write(caller.filter, "two", 3) == LIVETCP_OK);
    bytes second = caller.output();

    SECTION("each of its bits")
    {
        size_t bit = GENERATE(range(0, 25 * 8, 13));
        first[bit / 8] ^= uint8_t(1 << bit % 8);
        listener.receive(first);
        listener.receive(second);
        CHECK(listener.read().empty());
        /* A LENGTH that grew waits for the rest: no more than TLS allows. */
        for (int i = 0; i < 800 && listener.state() == LT_TLS_OPEN; i++) {
            listener.receive(second);
            CHECK(listener.read().empty());
        }
        CHECK(listener.state() == LT_TLS_FAILED);
        CHECK_FALSE(listener.output().empty()); /* an alert */
    }
    SECTION("left out")
    {
        listener.receive(second);
        CHECK(listener.read().empty());
        CHECK_THAT(listener.failure(), Contains("altered on its way"));
    }
    SECTION("repeated")
    {
        listener.receive(first);
        CHECK(listener.read() == bytes{'o', 'n', 'e'});
        listener.receive(first);
        CHECK(listener.read().empty());
        CHECK_THAT(listener.failure(), Contains("altered on its way"));
    }
}

TEST_CASE("a recorded connection cannot be played to another")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context), replayed(listener_context);
    bytes hello = caller.output();
    listener.receive(hello);
    caller.receive(listener.output());
    bytes finished = caller.output();
    listener.receive(finished);
    REQUIRE(listener.state() == LT_TLS_OPEN);
    REQUIRE(lt_tls_filter_write(caller.filter, "media", 5) == LIVETCP_OK);
    bytes media = caller.output();

    replayed.receive(hello);
    replayed.receive(finished);
    replayed.receive(media);
    CHECK(replayed.read().empty());
    CHECK(replayed.state() == LT_TLS_FAILED);
}

TEST_CASE("an orderly end differs from a cut one")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    shake_hands(caller, listener);

    CHECK(listener.state() == LT_TLS_OPEN); /* whatever TCP says now: cut */
    lt_tls_filter_end(caller.filter);
    listener.receive(caller.output());
    CHECK(listener.read().empty());
    CHECK(listener.state() == LT_TLS_ENDED);
}

TEST_CASE("what is not TLS is named")
{
    world w;
    context_holder caller_context(w.caller), listener_context(w.listener);
    end caller(caller_context), listener(listener_context);
    const char http[] = "HTTP/1.1 400 Bad Request\r\n\r\n", request[] = "GET / HTTP/1.1\r\n\r\n";

    caller.receive(bytes(http, http + sizeof http));
    CHECK_THAT(caller.failure(), Contains("does not speak TLS"));
    listener.receive(bytes(request, request + sizeof request));
    CHECK_THAT(listener.failure(), Contains("HTTP"));
}
