/* SPDX-License-Identifier: MIT */
/* Certificates for tests: an authority, and what it or nobody signs, as PEM files in a folder of
 * their own that goes with the object. */
#ifndef LT_TESTS_CERTIFICATES_H
#define LT_TESTS_CERTIFICATES_H

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

struct certificate_options {
    std::string name = "localhost";           /* subjectAltName; an address gives an IP entry */
    long begin_s = -3600, end_s = 24 * 3600L; /* of its validity, from now */
    bool self_signed = false;
};

/* The files of one certificate. */
struct certificate_files {
    std::string certificate, key, fingerprint;
};

class certificates
{
  public:
    certificates()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "livetcp-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw std::runtime_error("mkdtemp");
        folder_ = pattern;
        authority_key_ = new_key();
        authority_ =
            sign("Test authority " + folder_, authority_key_, nullptr, authority_key_, true, {});
        ca = write_certificate("ca", authority_);
    }

    ~certificates()
    {
        X509_free(authority_);
        EVP_PKEY_free(authority_key_);
        std::filesystem::remove_all(folder_);
    }

    certificates(const certificates &) = delete;
    certificates &operator=(const certificates &) = delete;

    /* Writes NAME.pem and NAME.key, over those that are there. */
    certificate_files make(const std::string &file, const certificate_options &options = {})
    {
        EVP_PKEY *key = new_key();
        X509 *made = sign(options.name, key, options.self_signed ? nullptr : authority_,
                          options.self_signed ? key : authority_key_, false, options);
        certificate_files files;
        files.certificate = write_certificate(file, made);
        files.key = folder_ + "/" + file + ".key";
        FILE *out = std::fopen(files.key.c_str(), "w");
        PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(out);
        files.fingerprint = fingerprint(made);
        X509_free(made);
        EVP_PKEY_free(key);
        return files;
    }

    std::string path(const std::string &file) const
    {
        return folder_ + "/" + file;
    }

    std::string ca;

  private:
    static EVP_PKEY *new_key()
    {
        return EVP_EC_gen("P-256");
    }

    static void extend(X509 *certificate, X509 *issuer, int nid, const std::string &value)
    {
        X509V3_CTX context;
        X509V3_set_ctx(&context, issuer ? issuer : certificate, certificate, nullptr, nullptr, 0);
        X509_EXTENSION *extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
        if (!extension)
            throw std::runtime_error("X509V3_EXT_conf_nid");
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }

    static X509 *sign(const std::string &name, EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key,
                      bool authority, const certificate_options &options)
    {
        static long serial = 1;
        X509 *made = X509_new();
        bool address = name.find_first_not_of("0123456789.") == std::string::npos ||
                       name.find(':') != std::string::npos;

        X509_set_version(made, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made), serial++);
        X509_gmtime_adj(X509_getm_notBefore(made), options.begin_s);
        X509_gmtime_adj(X509_getm_notAfter(made), options.end_s);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char *>(name.c_str()), -1, -1,
                                   0);
        X509_set_issuer_name(made, X509_get_subject_name(issuer ? issuer : made));
        X509_set_pubkey(made, key);
        extend(made, issuer, NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
        if (!authority)
            extend(made, issuer, NID_subject_alt_name, (address ? "IP:" : "DNS:") + name);
        X509_sign(made, issuer_key, EVP_sha256());
        return made;
    }

    static std::string fingerprint(X509 *certificate)
    {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        std::string text = "sha-256 ";
        X509_digest(certificate, EVP_sha256(), digest, &size);
        for (unsigned i = 0; i < size; i++) {
            char two[4];
            std::snprintf(two, sizeof two, "%s%02X", i ? ":" : "", digest[i]);
            text += two;
        }
        return text;
    }

    std::string write_certificate(const std::string &file, X509 *certificate) const
    {
        std::string path = folder_ + "/" + file + ".pem";
        FILE *out = std::fopen(path.c_str(), "w");
        PEM_write_X509(out, certificate);
        std::fclose(out);
        return path;
    }

    std::string folder_;
    EVP_PKEY *authority_key_ = nullptr;
    X509 *authority_ = nullptr;
};

#endif
